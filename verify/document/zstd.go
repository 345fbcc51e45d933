package document

import (
	"errors"
	"io"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/verify"
	"github.com/klauspost/compress/zstd"
)

// frameMagic begins every zstd frame that holds data.
const frameMagic = "\x28\xb5\x2f\xfd"

// maxWindow is the largest window of a frame, 64 MiB.
const maxWindow = 64 << 20

// unpacked returns text itself, or what it unpacks to if it begins as zstd. Of a
// stream exactly this is admitted: one or more frames with data, without
// dictionary, one behind the other to the end. The first fault in the stream
// decides.
func unpacked(text string) (string, error) {
	if !strings.HasPrefix(text, frameMagic) {
		return text, nil
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return "", algal.Errorf(algal.Internal, "zstd: %v", err)
	}
	defer decoder.Close()
	var out strings.Builder
	for at := 0; at < len(text); {
		length, err := unpackFrame(&out, decoder, text[at:], at)
		if err != nil {
			return "", err
		}
		at += length
	}
	return out.String(), nil
}

func damaged(at int, what string) error {
	return algal.Errorf(algal.ParseFailed, "zstd frame at byte %d: %s", at, what)
}

// unpackFrame appends the content of the frame that begins in, and returns the
// frame's length.
func unpackFrame(out *strings.Builder, decoder *zstd.Decoder, in string, at int) (int, error) {
	var header zstd.Header
	if err := header.Decode([]byte(in[:min(len(in), zstd.HeaderMaxSize)])); err != nil {
		return 0, damaged(at, "trailing bytes, or a damaged or truncated header")
	}
	left := verify.MaxBytes - out.Len()
	switch {
	case header.Skippable:
		return 0, damaged(at, "skippable frames are not admitted")
	case header.DictionaryID != 0:
		return 0, damaged(at, "dictionaries are not admitted")
	case header.WindowSize > maxWindow:
		return 0, damaged(at, "the window exceeds 64 MiB")
	case header.HasFCS && header.FrameContentSize > uint64(left):
		return 0, tooLarge()
	}
	length, whole := frameLength(in, &header)
	if err := decoder.Reset(strings.NewReader(in[:length])); err != nil {
		return 0, damaged(at, err.Error())
	}
	n, err := io.Copy(out, io.LimitReader(decoder, int64(left)+1))
	switch {
	case n > int64(left) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return 0, tooLarge()
	case err != nil:
		return 0, damaged(at, err.Error())
	case !whole:
		return 0, damaged(at, "truncated")
	}
	return length, nil
}

// frameLength finds the end of a frame by its block headers. A truncated frame is
// as long as the text.
func frameLength(in string, header *zstd.Header) (length int, whole bool) {
	const blockHeader, checksum = 3, 4
	at := header.HeaderSize
	for {
		if at+blockHeader > len(in) {
			return len(in), false
		}
		bits := int(in[at]) | int(in[at+1])<<8 | int(in[at+2])<<16
		last, kind, size := bits&1 == 1, bits>>1&3, bits>>3
		if kind == 1 {
			size = 1 // a run: one byte, repeated
		}
		at += blockHeader + size
		if last {
			break
		}
	}
	if header.HasCheckSum {
		at += checksum
	}
	if at > len(in) {
		return len(in), false
	}
	return at, true
}
