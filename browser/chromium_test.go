package browser

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed checks.js
var checks string

// patience bounds everything that is done with one page.
const patience = 2 * time.Minute

// chromium starts one browser for all tests. Debian's package is what CI installs.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("these tests need Debian's package chromium: apt-get install chromium")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path),
		chromedp.NoSandbox, // the pages are our own, and CI is root
		chromedp.UserDataDir(t.TempDir()),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	browser, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	return browser
}

// tab is a tab of the browser with one page in it, and all that the page did.
type tab struct {
	*testing.T
	ctx  context.Context
	file string

	mu       sync.Mutex
	requests []string
	said     []string // to the console, by dialogs, by exceptions
}

// open opens a file in a tab of its own.
func open(t *testing.T, browser context.Context, file string) *tab {
	t.Helper()
	ctx, done := chromedp.NewContext(browser)
	t.Cleanup(done)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: ctx, file: file}
	if err := chromedp.Listen(ctx, b.watch); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, page.Enable, page.EnableParams{})
	b.do(chromedp.Navigate(address(file)))
	return b
}

func address(file string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
}

// call gives the browser a command of its protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.Fatalf("%s: %v", command.Method, err)
	}
	return result
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// watch notes what the page asks for and says.
func (b *tab) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			b.said = append(b.said, "console: "+string(arg.Value)+arg.Description)
		}
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.said = append(b.said, "log: "+e.Entry.Text)
	case *page.EventJavascriptDialogOpening:
		b.said = append(b.said, "dialog: "+e.Message)
	}
}

// quiet returns what the page did that a passive page does not do.
func (b *tab) quiet() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	wrong := slices.Clone(b.said)
	for _, request := range b.requests {
		if plain, _, _ := strings.Cut(request, "#"); plain != address(b.file) {
			wrong = append(wrong, "it asks for "+request)
		}
	}
	if len(b.requests) == 0 {
		wrong = append(wrong, "the page itself was not asked for")
	}
	return wrong
}

// check runs one of the checks of checks.js and returns what it says.
func (b *tab) check(name string) []string {
	b.Helper()
	expression := fmt.Sprintf("(%s).%s()", strings.TrimSpace(checks[strings.Index(checks, "({"):]), name)
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](expression))
	if err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	return found
}

// scheme is what a reader's system prefers.
type scheme string

const (
	light scheme = "light"
	dark  scheme = "dark"
)

// show lays the page out for a window of a width, and in a colour scheme.
func (b *tab) show(width int64, colours scheme) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, 900))
	b.media("", colours)
}

func (b *tab) media(medium string, colours scheme) {
	b.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media:    medium,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: string(colours)}},
	})
}

// shoot keeps a picture of the whole page where the environment asks for pictures.
func (b *tab) shoot(name string) {
	b.Helper()
	dir := os.Getenv("ALGAL_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
		b.Fatal(err)
	}
}
