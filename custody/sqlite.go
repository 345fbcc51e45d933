//go:build unix

package custody

import (
	"github.com/algal-vm/algal"
	"modernc.org/libc"
	sqlite "modernc.org/sqlite/lib"
)

// connection is one SQLite connection. It calls the transpiled library below the
// database/sql driver, because the driver fixes the open flags and §2.1 asks for
// others. All pointers are of the library's own heap, so nothing here is unsafe
// in Go's sense. A connection serves one goroutine at a time.
type connection struct {
	tls    *libc.TLS
	handle uintptr
}

// openFlags are those of §2.1 step 3: a link anywhere in the path is refused, and
// no cache is shared with another connection of this process.
const openFlags = sqlite.SQLITE_OPEN_READWRITE | sqlite.SQLITE_OPEN_CREATE |
	sqlite.SQLITE_OPEN_NOFOLLOW | sqlite.SQLITE_OPEN_PRIVATECACHE

func connect(path string) (*connection, error) {
	c := &connection{tls: libc.NewTLS()}
	keepLocksPerDescriptor(c.tls)
	if err := c.open(path); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *connection) open(path string) error {
	name, err := libc.CString(path)
	if err != nil {
		return algal.Errorf(algal.IOFailed, "host lease database: %v", err)
	}
	defer libc.Xfree(c.tls, name)
	var status int32
	c.handle, status = c.result(func(slot uintptr) int32 {
		return sqlite.Xsqlite3_open_v2(c.tls, name, slot, openFlags, 0)
	})
	return c.check("", status)
}

// result makes a call that leaves a pointer in the slot it is given.
func (c *connection) result(call func(slot uintptr) int32) (pointer uintptr, status int32) {
	const size = 8 // of a pointer, at most
	slot := c.tls.Alloc(size)
	defer c.tls.Free(size)
	status = call(slot)
	return libc.AtomicLoadPUintptr(slot), status
}

// close rolls back what is open and closes the connection.
func (c *connection) close() error {
	var err error
	if c.handle != 0 && sqlite.Xsqlite3_get_autocommit(c.tls, c.handle) == 0 {
		err = c.exec(phaseCustody, "ROLLBACK")
	}
	sqlite.Xsqlite3_close_v2(c.tls, c.handle)
	c.tls.Close()
	return err
}

// phase names a part of the work on the database in the text of a failure.
type phase string

const (
	phaseJournal     phase = " journal mode"
	phaseSynchronous phase = " synchronous mode"
	phaseSchema      phase = " schema"
	phaseContract    phase = " contract"
	phaseCustody     phase = " custody"
)

// exec runs a statement for its effect.
func (c *connection) exec(p phase, statement string) error {
	_, err := c.query(p, statement)
	return err
}

// field is one column of a row: its type and its value as text.
type field struct {
	kind int32
	text string
}

func (f field) isText(s string) bool { return f.kind == sqlite.SQLITE_TEXT && f.text == s }

func (f field) isNull() bool { return f.kind == sqlite.SQLITE_NULL }

// query runs a statement and returns its rows. The statements of this package
// return few.
func (c *connection) query(p phase, statement string) ([][]field, error) {
	text, err := libc.CString(statement)
	if err != nil {
		return nil, algal.Errorf(algal.IOFailed, "host lease database%s: %v", p, err)
	}
	defer libc.Xfree(c.tls, text)
	prepared, status := c.result(func(slot uintptr) int32 {
		return sqlite.Xsqlite3_prepare_v2(c.tls, c.handle, text, -1, slot, 0)
	})
	if err := c.check(p, status); err != nil {
		return nil, err
	}
	defer sqlite.Xsqlite3_finalize(c.tls, prepared)
	var rows [][]field
	for {
		switch status := sqlite.Xsqlite3_step(c.tls, prepared); status {
		case sqlite.SQLITE_ROW:
			rows = append(rows, c.row(prepared))
		case sqlite.SQLITE_DONE:
			return rows, nil
		default:
			return nil, c.check(p, status)
		}
	}
}

func (c *connection) row(prepared uintptr) []field {
	fields := make([]field, sqlite.Xsqlite3_column_count(c.tls, prepared))
	for i := range fields {
		// The type is asked first: asking for the text may convert the value.
		kind := sqlite.Xsqlite3_column_type(c.tls, prepared, int32(i))
		at := sqlite.Xsqlite3_column_text(c.tls, prepared, int32(i))
		size := sqlite.Xsqlite3_column_bytes(c.tls, prepared, int32(i))
		fields[i] = field{kind, string(libc.GoBytes(at, int(size)))}
	}
	return fields
}

// check words a failure of the library. A busy database, in any of its extended
// codes, is contention (§6).
func (c *connection) check(p phase, status int32) error {
	switch {
	case status == sqlite.SQLITE_OK:
		return nil
	case status&0xff == sqlite.SQLITE_BUSY:
		return contention()
	}
	return algal.Errorf(algal.IOFailed, "host lease database%s: %s", p, libc.GoString(sqlite.Xsqlite3_errmsg(c.tls, c.handle)))
}
