//go:build unix && !linux && !darwin

package doctor

import "errors"

func volumeOf(string) (Volume, error) { return Volume{}, errors.ErrUnsupported }
