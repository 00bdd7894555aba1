package katago

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func pack(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write(data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return out.Bytes()
}

func tiny(t testing.TB) *Network { return made(t, "kb1c16", 3) }

func made(t testing.TB, arch string, seed uint64) *Network {
	t.Helper()
	n, err := Fresh(arch, seed)
	require.NoError(t, err)
	return n
}

func readBytes(data []byte) (*Network, error) { return Read(bytes.NewReader(data), "test") }

func TestReadFormats(t *testing.T) {
	n := tiny(t)
	want := plainBytes(t, n)
	for _, f := range []Format{{}, {Gzip: true}, {Text: true}, {Text: true, Gzip: true}} {
		var out bytes.Buffer
		require.NoError(t, Write(&out, n, f))
		// Bytes may arrive one by one.
		back, err := Read(iotest.OneByteReader(bytes.NewReader(out.Bytes())), "test")
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, plainBytes(t, back)), "%+v", f)
		require.Equal(t, "test", back.Source.File)
		require.Len(t, back.Source.SHA256, 64)
	}
	// Other white space, and no line end after the last block.
	crlf := bytes.ReplaceAll(want[:300], []byte("\n"), []byte("\r\n\t "))
	at := bytes.Index(crlf, []byte(blockMark))
	odd := append(crlf[:at:at], want[bytes.Index(want, []byte(blockMark)):len(want)-1]...)
	back, err := readBytes(odd)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, plainBytes(t, back)))
	// Two gzip members are one stream.
	back, err = readBytes(append(pack(t, want[:5000]), pack(t, want[5000:])...))
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, plainBytes(t, back)))
}

// TestReadTruncated: a file cut at any byte of the head, or at one of many later ones, is called
// truncated.
func TestReadTruncated(t *testing.T) {
	n := tiny(t)
	plain := plainBytes(t, n)
	var text bytes.Buffer
	require.NoError(t, Write(&text, n, Format{Text: true, Gzip: true}))
	for name, data := range map[string][]byte{"binary": plain, "gzip": pack(t, plain), "text": text.Bytes()} {
		for cut, step := 0, 1; cut < len(data)-1; cut += step {
			if cut > 600 {
				step = 1 + len(data)/500
			}
			_, err := readBytes(data[:cut])
			require.ErrorIs(t, err, ErrTruncated, "%s cut at %d of %d", name, cut, len(data))
		}
	}
}

func TestReadDamaged(t *testing.T) {
	plain := plainBytes(t, tiny(t))
	replace := func(old, new string) []byte {
		require.Contains(t, string(plain), old)
		return bytes.Replace(plain, []byte(old), []byte(new), 1)
	}
	nan := bytes.Clone(plain)
	at := bytes.Index(nan, []byte(blockMark)) + len(blockMark)
	copy(nan[at+40:], []byte{0, 0, 0x80, 0x7f})
	dotted, inner := "model.conv_spatial\n", "convpool.conv1r\n"
	for name, c := range map[string]struct {
		data []byte
		want error
		text string
	}{
		"version 18":        {replace("\n15\n22", "\n18\n22"), ErrVersion, "version 18, supported are 3 to 17; a newer program may know it"},
		"no version":        {replace("\n15\n22", "\nx\n22"), ErrFormat, "not an integer"},
		"input planes":      {replace("\n22\n19", "\n21\n19"), ErrShape, "input planes"},
		"global inputs":     {replace("\n22\n19", "\n22\n14"), ErrShape, "global inputs"},
		"multiplier":        {replace("\n40.0\n", "\n-40.0\n"), ErrFormat, "multiplier"},
		"meta encoder":      {replace("150.0\n0", "150.0\n2"), ErrUnsupported, "metadata encoder version 2; a newer program may know it"},
		"meta missing":      {replace("150.0\n0", "150.0\n1"), ErrFormat, "input.meta"},
		"no blocks":         {replace("trunk\n1\n", "trunk\n0\n"), ErrFormat, "number of blocks"},
		"more blocks":       {replace("trunk\n1\n", "trunk\n2\n"), ErrUnsupported, "blocks.1"},
		"even kernel":       {replace(dotted+"3\n3", dotted+"2\n3"), ErrFormat, "input.conv (model.conv_spatial): not a valid katago network: kernel"},
		"negative count":    {replace(dotted+"3\n3\n22", dotted+"3\n3\n-22"), ErrFormat, "input channels"},
		"huge count":        {replace(inner+"3\n3\n16\n8", inner+"3\n3\n16\n65000"), ErrTruncated, "blocks.0.conv1"},
		"overflowing count": {replace(inner+"3\n3\n16\n8", inner+"63\n63\n16\n65535"), ErrTooLarge, "blocks.0.conv1"},
		"wrong count":       {replace(dotted+"3\n3\n22\n16", dotted+"3\n3\n21\n16"), ErrShape, "input channels: 21, should be 22"},
		"mark":              {replace(blockMark, "@BIM@"), ErrFormat, "@BIN@"},
		"not finite":        {nan, ErrFormat, "input.conv (model.conv_spatial): weight"},
		"trailing":          {append(bytes.Clone(plain), "more"...), ErrFormat, "more data"},
		"name":              {append([]byte("a/b"), plain...), ErrFormat, "name"},
		"long word":         {bytes.Repeat([]byte("a"), 1<<20), ErrFormat, "word"},
		"spaces":            {bytes.Repeat([]byte(" "), 1<<20), ErrTruncated, "name"},
		"epsilon":           {replace("1e-20", "1e-2000x"), ErrFormat, "epsilon"},
		"flag":              {replace("1e-20\n1\n1", "1e-20\n2\n1"), ErrFormat, "flag"},
	} {
		_, err := readBytes(c.data)
		require.ErrorIs(t, err, c.want, name)
		require.ErrorContains(t, err, c.text, name)
		if len(c.data) < 1<<20 {
			_, again := readBytes(pack(t, c.data))
			require.ErrorIs(t, again, c.want, name)
		}
	}
}

func TestReadOtherFiles(t *testing.T) {
	for text, data := range map[string]string{
		"empty":         "",
		"a PNG image":   "\x89PNG\r\n\x1a\n0000",
		"zip archive":   "PK\x03\x04abc",
		"an ONNX model": "\x08\x08\x12\x06kosumi",
		"Git LFS":       "version https://git-lfs.github.com/spec/v1\n",
		"web page":      "<!DOCTYPE html>",
		"game record":   "(;GM[1])",
		"header":        "1\n0.5 0.25\n",
		"gzip stream":   "\x1f\x8b\x07garbage of a stream",
	} {
		_, err := readBytes([]byte(data))
		require.ErrorContains(t, err, text, "%q", data)
		require.ErrorContains(t, err, "test", "the file is named")
	}
	_, err := ReadFile("nothing/here.bin.gz")
	require.Error(t, err)
	_, err = ReadFile(t.TempDir())
	require.Error(t, err)
	broken := errors.New("disk on fire")
	_, err = Read(iotest.ErrReader(broken), "test")
	require.ErrorIs(t, err, broken)
	plain := plainBytes(t, tiny(t))
	_, err = Read(io.MultiReader(bytes.NewReader(plain[:9999]), iotest.ErrReader(broken)), "test")
	require.ErrorIs(t, err, broken)
	checksum := pack(t, plain)
	checksum[len(checksum)-5] ^= 1
	_, err = readBytes(checksum)
	require.ErrorIs(t, err, ErrFormat)
	require.ErrorContains(t, err, "gzip")
}

// bomb is an endless run of zero bytes after a head.
type bomb struct {
	head io.Reader
	read int64
}

func (b *bomb) Read(p []byte) (int, error) {
	if n, err := b.head.Read(p); err == nil {
		return n, nil
	}
	clear(p)
	b.read += int64(len(p))
	return len(p), nil
}

// TestReadBombs: allocation is bounded by the bytes read and by limits.
func TestReadBombs(t *testing.T) {
	head := "x\n8\n22\n19\ntrunk\n1\n10910\n1\n1\n1\n1\nconv\n63\n63\n22\n10910\n1\n1\n@BIN@" // announces 3.8 GB
	measure := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	used := measure(func() {
		_, err := readBytes([]byte(head))
		require.ErrorIs(t, err, ErrTruncated)
	})
	require.Less(t, used, uint64(4<<20))

	endless := &bomb{head: strings.NewReader(head)}
	used = measure(func() {
		_, err := read(endless, "test", 64<<20)
		require.ErrorIs(t, err, ErrTooLarge)
	})
	require.Less(t, used, uint64(4<<20), "the layer is larger than the limit, so nothing is read")

	head = strings.ReplaceAll(head, "10910", "182") // announces 63.6 MB
	used = measure(func() {
		_, err := read(&bomb{head: strings.NewReader(head)}, "test", 40<<20)
		require.ErrorIs(t, err, ErrTooLarge)
	})
	require.Less(t, used, uint64(160<<20))

	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := io.WriteString(z, strings.ReplaceAll(head, "182", "546"))
	require.NoError(t, err)
	block := make([]byte, 1<<20)
	for range 180 {
		_, err = z.Write(block)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	require.Less(t, packed.Len(), 1<<18)
	used = measure(func() {
		_, err := readBytes(packed.Bytes())
		require.ErrorIs(t, err, ErrTooLarge)
		require.ErrorContains(t, err, "compressed")
	})
	require.Less(t, used, uint64(300<<20))
	spaces := &bomb{head: strings.NewReader("x\n8\n22\n19\n")}
	_, err = Read(spaces, "test")
	require.ErrorIs(t, err, ErrFormat)
}

func TestReadNestedTooDeep(t *testing.T) {
	var s strings.Builder
	s.WriteString("x\n8\n22\n19\ntrunk\n1\n1\n1\n1\n1\n1\nconv\n1\n1\n22\n1\n1\n1\n" + strings.Repeat("0 ", 22) +
		"\nglobal\n19\n1\n" + strings.Repeat("0 ", 19) + "\n")
	for range 1000 {
		s.WriteString("nested_bottleneck_block\nb\n1\nnorm\n1\n0.5\n0\n0\n0\n1\nact\nconv\n1\n1\n1\n1\n1\n1\n1\n")
	}
	_, err := readBytes([]byte(s.String()))
	require.ErrorIs(t, err, ErrUnsupported)
	require.ErrorContains(t, err, "deep")
	require.Less(t, len(err.Error()), 400)
}

func TestCheckNamesTheLayer(t *testing.T) {
	for want, breakIt := range map[string]func(n *Network){
		"blocks.0.conv2":         func(n *Network) { n.Trunk.Blocks[0].(*Pooling).Conv2.In++ },
		"blocks.0.gmul":          func(n *Network) { n.Trunk.Blocks[0].(*Pooling).GMul.Out++ },
		"blocks.0.norm1":         func(n *Network) { n.Trunk.Blocks[0].(*Pooling).PreNorm.Scale = nil },
		"input.conv":             func(n *Network) { n.Trunk.Conv.Weights[7] = float32(math.Inf(1)) },
		"input.meta":             func(n *Network) { n.Header.MetaEncoder = 1 },
		"number of blocks":       func(n *Network) { n.Trunk.Blocks = nil },
		"blocks.1: ":             func(n *Network) { n.Trunk.Blocks = append(n.Trunk.Blocks, nil) },
		"tip.rms: ":              func(n *Network) { n.Trunk.NormKind = 1 },
		"no finite scale":        func(n *Network) { n.Trunk.Tip.Var[1] = -1 },
		"channels: 4, should be": func(n *Network) { n.Policy.Channels = 4 },
		"policy.pass2":           func(n *Network) { n.Policy.Pass2.Weights = nil },
		"value.m3":               func(n *Network) { n.Value.M3.Out = 2 },
		"value.score":            func(n *Network) { n.Header.Version = 8 },
		"version 18":             func(n *Network) { n.Header.Version = 18 },
	} {
		n := tiny(t)
		breakIt(n)
		err := n.Check()
		require.Error(t, err, want)
		if want != "value.score" {
			require.ErrorContains(t, err, want)
		}
		_, err = Build(n, Size{9, 9}, FormRun)
		require.Error(t, err)
		require.Error(t, Write(io.Discard, n, Format{}))
	}
	n := tiny(t)
	n.Header.Name = "no spaces please"
	require.ErrorIs(t, Write(io.Discard, n, Format{}), ErrFormat)
	n = tiny(t)
	n.Trunk.Conv.Name = "a b"
	require.ErrorContains(t, Write(io.Discard, n, Format{}), "input.conv")
	n.Trunk.Conv.Name = ""
	require.ErrorIs(t, Write(io.Discard, n, Format{}), ErrShape)
	require.NoError(t, Write(io.Discard, tiny(t), Format{}))
}

func TestWriteFile(t *testing.T) {
	n := tiny(t)
	dir := t.TempDir()
	for _, name := range []string{"a.bin.gz", "b.TXT.GZ", "c.bin", "d.txt"} {
		require.NoError(t, WriteFile(dir+"/"+name, n))
		back := readFile(t, dir+"/"+name)
		require.True(t, bytes.Equal(plainBytes(t, n), plainBytes(t, back)))
	}
	require.Error(t, WriteFile(dir+"/e.onnx", n))
	n.Header.Version = 99
	require.Error(t, WriteFile(dir+"/f.bin.gz", n))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 4, "nothing is left of a failed write")
}
