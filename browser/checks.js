// Checks of a page, run in it by the tests from outside. Each returns a list of
// sentences: what is wrong.
({
  // open shows everything that is folded away.
  open() {
    for (const d of document.querySelectorAll("details")) d.open = true;
    return [];
  },

  // passive: nothing runs, loads or sends.
  passive() {
    const wrong = [];
    for (const e of document.querySelectorAll("script,iframe,object,embed,link,form,input,button,img,video,audio,base,meta[http-equiv=refresh]"))
      wrong.push(`an element <${e.localName}>`);
    for (const e of document.querySelectorAll("*"))
      for (const a of e.attributes) {
        if (/^on/i.test(a.name)) wrong.push(`<${e.localName}> has ${a.name}`);
        if (/^(href|src|xlink:href|action)$/i.test(a.name) && !/^(#|[a-z0-9.-]+$)/.test(a.value)) wrong.push(`<${e.localName}> leads to ${a.value}`);
        if (a.name === "style") wrong.push(`<${e.localName}> has a style of its own`);
      }
    return wrong;
  },

  // anchors: every link of the page leads somewhere on it, and ids are unique.
  anchors() {
    const wrong = [], ids = new Set();
    for (const e of document.querySelectorAll("[id]")) {
      if (ids.has(e.id)) wrong.push(`two elements have the id ${e.id}`);
      ids.add(e.id);
    }
    const links = document.querySelectorAll("a[href^='#']");
    for (const a of links)
      if (!ids.has(decodeURIComponent(a.hash.slice(1)))) wrong.push(`${a.textContent} leads to ${a.hash}, which is not there`);
    if (!links.length) wrong.push("there are no links");
    return wrong;
  },

  // fits: nothing is wider than the window.
  fits() {
    const root = document.scrollingElement;
    return root.scrollWidth > innerWidth ? [`${root.scrollWidth} px wide in a window of ${innerWidth}`] : [];
  },

  // titles: a language, a title, one h1, headings in order, a name for every picture.
  titles() {
    const wrong = [];
    if (!document.documentElement.lang) wrong.push("no language");
    if (!document.title) wrong.push("no title");
    const heads = [...document.querySelectorAll("h1,h2,h3,h4,h5,h6")].map(h => +h.localName[1]);
    if (heads.filter(n => n === 1).length !== 1) wrong.push("not one h1");
    heads.forEach((n, i) => { if (i && n > heads[i - 1] + 1) wrong.push(`an h${n} follows an h${heads[i - 1]}`); });
    for (const s of document.querySelectorAll("svg"))
      if (s.getAttribute("role") !== "img" || !s.querySelector("title")?.textContent) wrong.push("a picture without role or title");
    for (const t of document.querySelectorAll("table"))
      if (!t.querySelector("th")) wrong.push("a table without headings");
    return wrong;
  },

  // contrast: every text is readable on what lies behind it (WCAG AA).
  contrast() {
    const wrong = new Set();
    const channel = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const parse = text => {
      const m = text.match(/rgba?\(([^)]+)\)/);
      if (!m) return null;
      const [r, g, b, a = 1] = m[1].split(/[ ,/]+/).map(Number);
      return [r, g, b, a];
    };
    const over = (top, under) => top[3] === 1 ? top : [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
    const ground = e => {
      const layers = [];
      for (; e; e = e.parentElement) {
        const c = parse(getComputedStyle(e).backgroundColor);
        if (c && c[3] > 0) layers.push(c);
        if (c && c[3] === 1) break;
      }
      const canvas = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
      return layers.reduceRight((under, top) => over(top, under), canvas);
    };
    // In a picture the last filled shape before the text that holds its middle is behind it.
    const shape = text => {
      const at = text.getBoundingClientRect(), x = at.x + at.width / 2, y = at.y + at.height / 2;
      let fill = null;
      for (const s of text.ownerSVGElement.querySelectorAll("rect,path,ellipse,circle,polygon,text")) {
        if (s === text) break;
        if (s.localName === "text" || s.closest("defs,marker")) continue;
        const b = s.getBoundingClientRect(), c = parse(getComputedStyle(s).fill);
        if (c && c[3] > 0 && b.left <= x && x <= b.right && b.top <= y && y <= b.bottom) fill = c;
      }
      return fill ?? ground(text.ownerSVGElement);
    };
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let texts = 0;
    while (walk.nextNode()) {
      const e = walk.currentNode.parentElement;
      if (!walk.currentNode.data.trim() || !e.checkVisibility() || e.closest("title,desc,style") && !e.closest("text")) continue;
      texts++;
      const picture = e instanceof SVGElement, css = getComputedStyle(e);
      const front = parse(picture ? css.fill : css.color), back = picture ? shape(e.closest("text")) : ground(e);
      if (!front || !back) { wrong.add(`no colour: ${walk.currentNode.data.slice(0, 40)}`); continue; }
      const [hi, lo] = [light(over(front, back)), light(back)].sort((a, b) => b - a);
      const ratio = (hi + 0.05) / (lo + 0.05), size = parseFloat(css.fontSize);
      const enough = size >= 24 || size >= 18.66 && +css.fontWeight >= 700 ? 3 : 4.5;
      if (ratio < enough) wrong.add(`contrast ${ratio.toFixed(2)} of ${enough}: ${walk.currentNode.data.trim().slice(0, 40)}`);
    }
    if (!texts) wrong.add("there is no text");
    return [...wrong];
  },

  // order lists what the keyboard reaches, in the order of the document.
  order() {
    return [...document.querySelectorAll("a[href],summary,[tabindex]")].filter(e => e.tabIndex >= 0 && e.checkVisibility()).map(this.label);
  },

  // focused names the element with the focus, and says when nobody can see where it is.
  focused() {
    const e = document.activeElement;
    if (!e || e === document.body) return [];
    const css = getComputedStyle(e), box = e.getBoundingClientRect();
    const seen = css.outlineStyle !== "none" && parseFloat(css.outlineWidth) >= 2 && box.width > 0 && box.left >= 0;
    return [this.label(e), seen ? "" : "the focus cannot be seen"];
  },

  label(e) { return `${e.localName} ${e.getAttribute("href") ?? ""} ${e.textContent.trim().slice(0, 60)}`; },

  // folded tells what a printout would leave out: long parts that stay folded.
  folded() {
    return [...document.querySelectorAll("details")].filter(d => {
      const inside = [...d.children].find(c => c.localName !== "summary");
      return inside && !inside.checkVisibility();
    }).map(d => d.querySelector("summary").textContent.trim().slice(0, 60));
  },

  // files lists the files beside the page to which it leads.
  files() { return [...document.querySelectorAll("a[href]:not([href^='#'])")].map(a => a.getAttribute("href")); },

  // picture: an image that stands alone has a name, texts within its border, and
  // nothing that runs or loads.
  picture() {
    const wrong = [], svg = document.documentElement, border = svg.getBoundingClientRect();
    if (svg.localName !== "svg" || !svg.querySelector("title")?.textContent) wrong.push("not a picture with a title");
    for (const e of svg.querySelectorAll("script,foreignObject,image,use,a")) wrong.push(`an element <${e.localName}>`);
    const texts = svg.querySelectorAll("text");
    if (!texts.length) wrong.push("no text");
    for (const t of texts) {
      const b = t.getBoundingClientRect();
      if (b.left < border.left - 1 || b.right > border.right + 1 || b.top < border.top - 1 || b.bottom > border.bottom + 1) wrong.push(`outside: ${t.textContent}`);
    }
    return wrong.concat(this.labels());
  },

  // labels: the texts of a picture do not lie on each other.
  labels() {
    const wrong = [], texts = [...document.querySelectorAll("svg text")].filter(t => t.checkVisibility());
    const boxes = texts.map(t => t.getBoundingClientRect());
    boxes.forEach((a, i) => boxes.slice(0, i).forEach((b, k) => {
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
        wrong.push(`"${texts[k].textContent}" and "${texts[i].textContent}" lie on each other`);
    }));
    return wrong;
  },

  // text returns what the page says.
  text() { return [document.body.innerText, ...[...document.querySelectorAll("svg title, svg text")].map(e => e.textContent)]; },
})
