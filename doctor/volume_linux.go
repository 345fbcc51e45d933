package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// kinds are the types of file systems by their magic numbers, as in linux/magic.h
// and, for those that x/sys does not name, in their sources.
var kinds = map[uint32]struct {
	name   string
	medium Medium
}{
	unix.EXT4_SUPER_MAGIC:      {"ext4", Disk}, // and its predecessors
	unix.XFS_SUPER_MAGIC:       {"xfs", Disk},
	unix.BTRFS_SUPER_MAGIC:     {"btrfs", Disk},
	unix.F2FS_SUPER_MAGIC:      {"f2fs", Disk},
	unix.REISERFS_SUPER_MAGIC:  {"reiserfs", Disk},
	unix.NILFS_SUPER_MAGIC:     {"nilfs2", Disk},
	unix.ECRYPTFS_SUPER_MAGIC:  {"ecryptfs", Disk},
	unix.MSDOS_SUPER_MAGIC:     {"vfat", Disk},
	unix.EXFAT_SUPER_MAGIC:     {"exfat", Disk},
	unix.SQUASHFS_MAGIC:        {"squashfs", Disk},
	unix.ISOFS_SUPER_MAGIC:     {"iso9660", Disk},
	0x2fc12fc1:                 {"zfs", Disk},
	0xca451a4e:                 {"bcachefs", Disk},
	0x3153464a:                 {"jfs", Disk},
	0x7366746e:                 {"ntfs3", Disk},
	unix.TMPFS_MAGIC:           {"tmpfs", Memory},
	unix.RAMFS_MAGIC:           {"ramfs", Memory},
	unix.OVERLAYFS_SUPER_MAGIC: {"overlay", Overlay},
	unix.FUSE_SUPER_MAGIC:      {"fuse", Served},
	unix.V9FS_MAGIC:            {"9p", Served},
	0x786f4256:                 {"vboxsf", Served},
	0x7c7c6013:                 {"prl_fs", Served},
	unix.NFS_SUPER_MAGIC:       {"nfs", Network},
	unix.SMB_SUPER_MAGIC:       {"smb", Network},
	unix.SMB2_SUPER_MAGIC:      {"smb2", Network},
	unix.CIFS_SUPER_MAGIC:      {"cifs", Network},
	unix.AFS_SUPER_MAGIC:       {"afs", Network},
	unix.AFS_FS_MAGIC:          {"afs", Network},
	unix.CODA_SUPER_MAGIC:      {"coda", Network},
	unix.NCP_SUPER_MAGIC:       {"ncp", Network},
	unix.CEPH_SUPER_MAGIC:      {"ceph", Network},
	unix.OCFS2_SUPER_MAGIC:     {"ocfs2", Network},
	0x01161970:                 {"gfs2", Network},
	0x0bd00bd0:                 {"lustre", Network},
	0x47504653:                 {"gpfs", Network},
}

func volumeOf(dir string) (Volume, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return Volume{}, err
	}
	unit := st.Frsize
	if unit == 0 {
		unit = st.Bsize
	}
	// The type is signed on some architectures.
	v := Volume{FreeBytes: st.Bavail * uint64(unit), FreeFiles: st.Ffree, Files: st.Files}
	magic := uint32(st.Type)
	k, known := kinds[magic]
	if !known {
		v.Type = fmt.Sprintf("of type %#x", magic)
		return v, nil
	}
	v.Type, v.Medium = k.name, k.medium
	return v, nil
}
