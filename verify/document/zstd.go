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
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(verify.MaxBytes+1))
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
	length, content, whole := measureFrame(in, &header)
	if header.HasFCS && header.FrameContentSize > uint64(content) {
		// The decoder would take memory for the claim before it found out.
		return 0, damaged(at, "it declares more than its blocks can hold")
	}
	n, err := decode(out, decoder, in[:length], left, header.WindowSize > uint64(content))
	switch {
	case n > left || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return 0, tooLarge()
	case err != nil:
		return 0, damaged(at, err.Error())
	case !whole:
		return 0, damaged(at, "truncated")
	}
	return length, nil
}

// decode appends the content of a frame, or more than left bytes of it, and
// returns how much that is. A frame that cannot fill its window is decoded at
// once: the streaming decoder would take memory for the whole window.
func decode(out *strings.Builder, decoder *zstd.Decoder, frame string, left int, small bool) (int, error) {
	if small {
		content, err := decoder.DecodeAll([]byte(frame), nil)
		if len(content) <= left {
			out.Write(content)
		}
		return len(content), err
	}
	if err := decoder.Reset(strings.NewReader(frame)); err != nil {
		return 0, err
	}
	n, err := io.Copy(out, io.LimitReader(decoder, int64(left)+1))
	return int(n), err
}

// measureFrame walks the block headers of a frame: where it ends, and how much its
// blocks can unpack to. A truncated frame is as long as the text.
func measureFrame(in string, header *zstd.Header) (length, content int, whole bool) {
	const (
		blockHeader = 3
		checksum    = 4
		maxBlock    = 128 << 10
	)
	at := header.HeaderSize
	for {
		if at+blockHeader > len(in) {
			return len(in), content, false
		}
		bits := int(in[at]) | int(in[at+1])<<8 | int(in[at+2])<<16
		last, kind, size := bits&1 == 1, bits>>1&3, bits>>3
		at += blockHeader
		switch kind {
		case 0: // as it is
			content += size
			at += size
		case 1: // one byte, repeated
			content += size
			at++
		default: // compressed, or reserved, which the decoder refuses
			content += maxBlock
			at += size
		}
		if last {
			break
		}
	}
	if header.HasCheckSum {
		at += checksum
	}
	if at > len(in) {
		return len(in), content, false
	}
	return at, content, true
}
