package portable

import (
	"io/fs"
	"path/filepath"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// maxFile bounds a file of an inventory, in bytes.
const maxFile = durable.MaxBytes

// takeInventory returns a digest over everything below dir: the names of all files
// and directories, and the SHA-256 of what the files hold. Nothing may be open in it:
// reading a lease's database would end a lease of this process (custody.md §2.5),
// and there is none.
func takeInventory(dir string) (algal.Digest, error) {
	var list []canon.Member
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			list = append(list, canon.M(name, canon.Null()))
			return nil
		}
		content, err := durable.Read(path, maxFile, durable.NoFollow)
		if err != nil {
			return err
		}
		list = append(list, canon.M(name, canon.String(string(canon.DigestText(content)))))
		return nil
	})
	if err != nil {
		return "", algal.Errorf(algal.IOFailed, "no inventory of what was moved away: %v", err)
	}
	return canon.Object(list...).Digest(), nil
}
