//go:build unix

package custody

import (
	"path/filepath"
	"strings"

	"github.com/algal-vm/algal"
)

// openDatabase opens the database of a custody directory, whose path has no link
// in it, and makes it ready for [connection.take] (§2.1, §2.2).
func openDatabase(dir string) (*connection, error) {
	if err := admitDatabase(dir); err != nil {
		return nil, err
	}
	c, err := connect(filepath.Join(dir, databaseName))
	if err != nil {
		return nil, err
	}
	if err := c.prepare(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *connection) prepare() error {
	for _, s := range []struct {
		phase     phase
		statement string
	}{
		{phaseCustody, "PRAGMA busy_timeout=0"},
		{phaseJournal, "PRAGMA journal_mode=DELETE"},
		{phaseSynchronous, "PRAGMA synchronous=FULL"},
	} {
		if err := c.exec(s.phase, s.statement); err != nil {
			return err
		}
	}
	return c.initialise()
}

// initialise completes a database that is new, or whose first initialisation was
// interrupted. A ready one is only read: even an insert that changes nothing takes
// the write lock for a moment, and two contenders would refuse each other (§2.2).
func (c *connection) initialise() error {
	found, err := c.hasTable()
	if err != nil {
		return err
	}
	if !found {
		if err := c.exec(phaseSchema, "CREATE TABLE IF NOT EXISTS algal_owner(contract TEXT PRIMARY KEY)"); err != nil {
			return err
		}
	}
	ready, err := c.hasContract()
	if err != nil || ready {
		return err
	}
	if err := c.checkShape(); err != nil {
		return err
	}
	return c.exec(phaseContract, "INSERT OR IGNORE INTO algal_owner(contract) VALUES('"+Contract+"')")
}

// take begins the transaction that is custody and looks again under it (§2.3).
// Nothing is written in it.
func (c *connection) take() error {
	if err := c.exec(phaseCustody, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if found, err := c.hasTable(); err != nil {
		return err
	} else if !found {
		return invalidSchema()
	}
	if ready, err := c.hasContract(); err != nil {
		return err
	} else if !ready {
		return unknownContract()
	}
	return nil
}

// hasTable reports whether the owner table exists. Anything else of that name is
// refused.
func (c *connection) hasTable() (bool, error) {
	rows, err := c.query(phaseSchema, "SELECT type FROM sqlite_schema WHERE name='algal_owner' COLLATE NOCASE LIMIT 2")
	switch {
	case err != nil || len(rows) == 0:
		return false, err
	case len(rows) == 1 && rows[0][0].isText("table"):
		return true, nil
	}
	return false, invalidSchema()
}

// hasContract reports whether the owner table has its one row; it has none before
// it is initialised. Any other content is refused.
func (c *connection) hasContract() (bool, error) {
	rows, err := c.query(phaseContract, "SELECT contract FROM algal_owner LIMIT 2")
	switch {
	case err != nil || len(rows) == 0:
		return false, err
	case len(rows) == 1 && rows[0][0].isText(Contract):
		return true, nil
	}
	return false, unknownContract()
}

// checkShape admits the one table that may be completed: what CREATE TABLE of
// [connection.initialise] makes, up to spelling (§2.2 step 2).
func (c *connection) checkShape() error {
	columns, err := c.query(phaseSchema, "SELECT name, type, pk, hidden, dflt_value FROM pragma_table_xinfo('algal_owner') LIMIT 2")
	if err != nil {
		return err
	}
	if len(columns) != 1 {
		return invalidSchema()
	}
	name, kind, key, hidden, fallback := columns[0][0], columns[0][1], columns[0][2], columns[0][3], columns[0][4]
	if !name.isText("contract") || !strings.EqualFold(kind.text, "TEXT") || key.text != "1" || hidden.text != "0" || !fallback.isNull() {
		return invalidSchema()
	}
	return nil
}

func invalidSchema() error { return algal.Errorf(algal.IOFailed, "invalid owner database schema") }

func unknownContract() error { return algal.Errorf(algal.IOFailed, "unknown owner database contract") }
