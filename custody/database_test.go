//go:build unix

package custody

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/google/go-cmp/cmp"
)

const (
	tableSQL = "CREATE TABLE algal_owner(contract TEXT PRIMARY KEY)"
	rowSQL   = "INSERT INTO algal_owner VALUES('algal.process-owner.v2')"
)

// makeDatabase executes statements on the database of dir.
func makeDatabase(t testing.TB, dir string, statements ...string) {
	t.Helper()
	c, err := connect(filepath.Join(dir, databaseName))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, s := range statements {
		if err := c.exec(phaseSchema, s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// askDatabase returns the rows of a query, columns separated by a bar.
func askDatabase(t testing.TB, dir, query string) (rows []string) {
	t.Helper()
	c, err := connect(filepath.Join(dir, databaseName))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	found, err := c.query(phaseSchema, query)
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range found {
		var texts []string
		for _, f := range fields {
			texts = append(texts, f.text)
		}
		rows = append(rows, strings.Join(texts, "|"))
	}
	return rows
}

// fillDatabase makes the database exactly so many bytes large.
func fillDatabase(t testing.TB, dir string, size int) {
	t.Helper()
	path := filepath.Join(dir, databaseName)
	makeDatabase(t, dir, "CREATE TABLE pad(x)")
	for {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if int(info.Size()) == size {
			return
		}
		if int(info.Size()) > size {
			t.Fatalf("the database has %d bytes", info.Size())
		}
		makeDatabase(t, dir, "INSERT INTO pad VALUES(zeroblob(4000))")
	}
}

const (
	badSchema   = "invalid owner database schema"
	badContract = "unknown owner database contract"
	badFile     = "invalid owner database file"
)

// initialFile is a state of the database before an acquisition.
type initialFile struct {
	name string
	make func(t testing.TB, dir string)
	want string // the message of the refusal, "" when acquired
}

var initialFiles = []initialFile{
	{"absent", func(testing.TB, string) {}, ""},
	{"zero bytes", func(t testing.TB, dir string) { write(t, filepath.Join(dir, databaseName), "") }, ""},
	{"table without row", sqlFile(tableSQL), ""},
	{"other spelling", sqlFile("CREATE TABLE ALGAL_OWNER(contract text PRIMARY KEY)"), ""},
	{"not null", sqlFile("CREATE TABLE algal_owner(contract TEXT NOT NULL PRIMARY KEY)"), ""},
	{"without rowid", sqlFile("CREATE TABLE algal_owner(contract TEXT PRIMARY KEY) WITHOUT ROWID"), ""},
	{"second column", sqlFile("CREATE TABLE algal_owner(contract TEXT PRIMARY KEY, x)"), badSchema},
	{"default", sqlFile("CREATE TABLE algal_owner(contract TEXT PRIMARY KEY DEFAULT 'x')"), badSchema},
	{"no primary key", sqlFile("CREATE TABLE algal_owner(contract TEXT)"), badSchema},
	{"integer", sqlFile("CREATE TABLE algal_owner(contract INTEGER PRIMARY KEY)"), badSchema},
	{"generated column", sqlFile("CREATE TABLE algal_owner(contract TEXT PRIMARY KEY, x AS (1))"), badSchema},
	{"upper-case column", sqlFile("CREATE TABLE algal_owner(CONTRACT TEXT PRIMARY KEY)"), badSchema},
	{"view", sqlFile("CREATE VIEW algal_owner AS SELECT 'algal.process-owner.v2' AS contract"), badSchema},
	{"index", sqlFile("CREATE TABLE t(x)", "CREATE INDEX algal_owner ON t(x)"), badSchema},
	{"trigger", sqlFile(tableSQL, rowSQL, "CREATE TRIGGER algal_owner AFTER INSERT ON algal_owner BEGIN SELECT 1; END"), badSchema},
	{"older contract", sqlFile(tableSQL, "INSERT INTO algal_owner VALUES('algal.process-owner.v1')"), badContract},
	{"two rows", sqlFile(tableSQL, rowSQL, "INSERT INTO algal_owner VALUES('x')"), badContract},
	{"null row", sqlFile(tableSQL, "INSERT INTO algal_owner VALUES(NULL)"), badContract},
	{"blob row", sqlFile(tableSQL, "INSERT INTO algal_owner VALUES(CAST('algal.process-owner.v2' AS BLOB))"), badContract},
	{"row with a NUL", sqlFile(tableSQL, "INSERT INTO algal_owner VALUES('algal.process-owner.v2' || char(0) || 'x')"), badContract},
	{"other column", sqlFile("CREATE TABLE algal_owner(owner TEXT PRIMARY KEY)"), "host lease database contract: no such column: contract"},
	{"ready", sqlFile(tableSQL, rowSQL), ""},
	{"ready, UTF-16", sqlFile("PRAGMA encoding='UTF-16'", tableSQL, rowSQL), ""},
	{"ready, with another column", sqlFile("CREATE TABLE algal_owner(contract TEXT PRIMARY KEY, x DEFAULT 1)", "INSERT INTO algal_owner(contract) VALUES('algal.process-owner.v2')"), ""},
	{"ready, largest", func(t testing.TB, dir string) {
		sqlFile(tableSQL, rowSQL)(t, dir)
		fillDatabase(t, dir, maxDatabase)
	}, ""},
	{"too large", func(t testing.TB, dir string) {
		sqlFile(tableSQL, rowSQL)(t, dir)
		fillDatabase(t, dir, maxDatabase)
		appendByte(t, filepath.Join(dir, databaseName))
	}, badFile},
	{"not a database", func(t testing.TB, dir string) {
		write(t, filepath.Join(dir, databaseName), strings.Repeat("not a database\n", 100))
	}, "host lease database journal mode: file is not a database"},
	{"link", func(t testing.TB, dir string) {
		other := scratch(t)
		makeDatabase(t, other, tableSQL, rowSQL)
		symlink(t, filepath.Join(other, databaseName), filepath.Join(dir, databaseName))
	}, badFile},
	{"directory", func(t testing.TB, dir string) { write(t, filepath.Join(dir, databaseName, "x"), "") }, badFile},
	{"journal is a link", sideFile("-journal", func(t testing.TB, path string) { symlink(t, "/nowhere", path) }), badFile},
	{"log is too large", sideFile("-wal", func(t testing.TB, path string) { write(t, path, strings.Repeat("x", maxDatabase+1)) }), badFile},
	{"memory is a directory", sideFile("-shm", func(t testing.TB, path string) { write(t, filepath.Join(path, "x"), "") }), badFile},
}

// TestInitialFile is the table of custody.md §2.2 and what §2.2 says around it.
func TestInitialFile(t *testing.T) {
	for _, c := range initialFiles {
		t.Run(c.name, c.check)
	}
}

// check demands that a refusal leaves the file as it was and makes no other.
func (c initialFile) check(t *testing.T) {
	dir := scratch(t)
	c.make(t, dir)
	if c.want == "" {
		acquireAndRelease(t, dir, label)
		return
	}
	before := tree(t, dir)
	mustRefuse(t, dir, label, algal.IOFailed, c.want)
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func sqlFile(statements ...string) func(testing.TB, string) {
	return func(t testing.TB, dir string) { makeDatabase(t, dir, statements...) }
}

// sideFile makes a ready database and puts something in the place of a side file.
func sideFile(suffix string, put func(t testing.TB, path string)) func(testing.TB, string) {
	return func(t testing.TB, dir string) {
		makeDatabase(t, dir, tableSQL, rowSQL)
		put(t, filepath.Join(dir, databaseName+suffix))
	}
}

func symlink(t testing.TB, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func appendByte(t testing.TB, path string) { write(t, path, read(t, path)+"\x00") }

// TestFreshFile is the file of custody.md §2.4.
func TestFreshFile(t *testing.T) {
	dir := scratch(t)
	acquireAndRelease(t, dir, label)
	file := []byte(read(t, filepath.Join(dir, databaseName)))
	if len(file) != 12_288 || string(file[:16]) != "SQLite format 3\x00" {
		t.Fatalf("%d bytes", len(file))
	}
	for _, c := range []struct {
		what      string
		at, width int
		want      uint32
	}{
		{"page size", 16, 2, 4096}, {"write version", 18, 1, 1}, {"read version", 19, 1, 1}, {"change counter", 24, 4, 2},
		{"pages", 28, 4, 3}, {"first free page", 32, 4, 0}, {"free pages", 36, 4, 0}, {"schema cookie", 40, 4, 1},
		{"schema format", 44, 4, 4}, {"auto vacuum", 52, 4, 0}, {"encoding", 56, 4, 1}, {"user version", 60, 4, 0},
		{"application id", 68, 4, 0},
	} {
		var wide [4]byte
		copy(wide[4-c.width:], file[c.at:c.at+c.width])
		if got := binary.BigEndian.Uint32(wide[:]); got != c.want {
			t.Errorf("%s is %d, want %d", c.what, got, c.want)
		}
	}
	want := []string{
		"table|algal_owner|algal_owner|2|CREATE TABLE algal_owner(contract TEXT PRIMARY KEY)",
		"index|sqlite_autoindex_algal_owner_1|algal_owner|3|",
	}
	if diff := cmp.Diff(want, askDatabase(t, dir, "SELECT * FROM sqlite_schema")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"algal.process-owner.v2"}, askDatabase(t, dir, "SELECT * FROM algal_owner")); diff != "" {
		t.Error(diff)
	}
}

func TestFileNeverChanges(t *testing.T) {
	dir := scratch(t)
	acquireAndRelease(t, dir, label)
	before := tree(t, dir)
	for range 3 {
		acquireAndRelease(t, dir, label)
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestSettings reads back what §2.1 step 4 asks for.
func TestSettings(t *testing.T) {
	l := mustAcquire(t, scratch(t), label)
	defer l.Release()
	for pragma, want := range map[string]string{"busy_timeout": "0", "journal_mode": "delete", "synchronous": "2"} {
		rows, err := l.database.query(phaseCustody, "PRAGMA "+pragma)
		if err != nil || rows[0][0].text != want {
			t.Errorf("%s is %v, %v; want %s", pragma, rows, err, want)
		}
	}
}

// TestOpenFlags shows that SQLite itself refuses links, should one appear after
// the files were admitted.
func TestOpenFlags(t *testing.T) {
	dir := scratch(t)
	makeDatabase(t, dir, tableSQL)
	link := filepath.Join(scratch(t), "link")
	symlink(t, dir, link)
	c, err := connect(filepath.Join(link, databaseName))
	if err == nil {
		c.close()
		t.Fatal("SQLite follows links")
	}
	refused(t, err, algal.IOFailed, "host lease database: unable to open database file")
}

func TestLogIsConverted(t *testing.T) {
	dir := scratch(t)
	makeDatabase(t, dir, "PRAGMA journal_mode=WAL", tableSQL, rowSQL)
	path := filepath.Join(dir, databaseName)
	if v := read(t, path)[18:20]; v != "\x02\x02" {
		t.Fatalf("format versions %x before", v)
	}
	acquireAndRelease(t, dir, label)
	if v := read(t, path)[18:20]; v != "\x01\x01" {
		t.Errorf("format versions %x after", v)
	}
}

// TestHotJournal lays the state of a first initialisation that died after it had
// written the file and before it had removed the journal: the file is rolled back
// to nothing and initialised again.
func TestHotJournal(t *testing.T) {
	dir := scratch(t)
	makeDatabase(t, dir, tableSQL, rowSQL, "CREATE TABLE never_committed(x)")
	header := make([]byte, 512)
	copy(header, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
	binary.BigEndian.PutUint32(header[20:], 512)  // sector size
	binary.BigEndian.PutUint32(header[24:], 4096) // page size; no records, and no pages before
	write(t, filepath.Join(dir, databaseName+"-journal"), string(header))
	acquireAndRelease(t, dir, label)
	got := askDatabase(t, dir, "SELECT name FROM sqlite_schema WHERE type='table'")
	if diff := cmp.Diff([]string{"algal_owner"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestLooksAgain changes the database between the inspection and the transaction.
func TestLooksAgain(t *testing.T) {
	for statement, want := range map[string]string{
		"DROP TABLE algal_owner":               badSchema,
		"ALTER TABLE algal_owner RENAME TO x":  badSchema,
		"DELETE FROM algal_owner":              badContract,
		"INSERT INTO algal_owner VALUES('x')":  badContract,
		"UPDATE algal_owner SET contract='v3'": badContract,
	} {
		t.Run(statement, func(t *testing.T) {
			dir := scratch(t)
			c, err := openDatabase(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer c.close()
			makeDatabase(t, dir, statement)
			refused(t, c.take(), algal.IOFailed, want)
		})
	}
}
