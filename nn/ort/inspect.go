package ort

import (
	"bytes"
	"cmp"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// version is major, minor and patch; all zero means unknown.
type version [3]int

var versionPattern = regexp.MustCompile(`(\d{1,5})\.(\d{1,5})(?:\.(\d{1,5}))?`)

// parseVersion finds the first version number in s.
func parseVersion(s string) version {
	var v version
	m := versionPattern.FindStringSubmatch(s)
	if m == nil {
		return v
	}
	for i := range v {
		v[i], _ = strconv.Atoi(m[i+1])
	}
	return v
}

func (v version) compare(w version) int { return slices.Compare(v[:], w[:]) }

func (v version) String() string {
	if v == (version{}) {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// binaryFormat is the header of a library's file, read without loading it.
type binaryFormat struct {
	os, arch string // in Go's names
	version  version
	exports  bool // it exports the required function
}

// The functions that every onnxruntime library and every plugin export.
const (
	entryPoint  = "OrtGetApiBase"
	pluginEntry = "CreateEpFactories"
)

// inspect checks that the library at path is for the system goos and the processor goarch, and exports
// the function entry, which is onnxruntime's or a plugin's. It returns the library's version, "" if
// unknown.
func inspect(path, entry, goos, goarch string) (string, error) {
	if runtime.GOOS == "js" { // a web page loads no libraries; the linker can drop the code below
		return "", ErrNoCgo
	}
	other := ErrNotLibrary
	if entry == pluginEntry {
		other = ErrNotPlugin
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // opening a pipe may block for ever
		return "", fmt.Errorf("%w: it is not a file", other)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", notFound(err)
	}
	defer f.Close()
	magic := make([]byte, 4)
	if _, err := io.ReadFull(f, magic); err != nil {
		return "", fmt.Errorf("%w: the file is shorter than 4 bytes", other)
	}
	var b binaryFormat
	switch {
	case bytes.Equal(magic, []byte(elf.ELFMAG)):
		b, err = inspectELF(f, entry)
	case isMachO(magic):
		b, err = inspectMachO(f, entry, goarch)
	case bytes.Equal(magic[:2], []byte("MZ")):
		b, err = inspectPE(f, entry)
	default:
		return "", fmt.Errorf("%w: it begins with %q, so it is not a shared library of any system", other, magic)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %v", other, err)
	}
	if b.version == (version{}) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			b.version = parseVersion(filepath.Base(real))
		}
	}
	return b.version.String(), b.judge(entry, other, goos, goarch)
}

func (b binaryFormat) judge(entry string, other error, goos, goarch string) error {
	switch {
	case b.os != goos && !(b.os == "linux" && goos != "windows" && goos != "darwin"):
		return fmt.Errorf("%w: it is built for %s/%s, this program for %s/%s", ErrWrongPlatform, b.os, b.arch, goos, goarch)
	case b.arch != goarch:
		return fmt.Errorf("%w: it is built for %s processors, this program for %s", ErrWrongPlatform, b.arch, goarch)
	case !b.exports:
		return fmt.Errorf("%w: it does not export %s", other, entry)
	case entry == entryPoint && b.version != version{} && b.version.compare(parseVersion(MinVersion)) < 0:
		return tooOld(b.version.String())
	}
	return nil
}

// tooOld is the error for a library of an old version, "" if unknown.
func tooOld(v string) error {
	if v != "" {
		v = " " + v
	}
	return fmt.Errorf("onnxruntime%s is %w: %s or newer is needed", v, ErrLibraryTooOld, MinVersion)
}

func inspectELF(r io.ReaderAt, entry string) (binaryFormat, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return binaryFormat{}, err
	}
	defer f.Close()
	known := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_386: "386", elf.EM_ARM: "arm",
		elf.EM_PPC64: "ppc64le", elf.EM_RISCV: "riscv64", elf.EM_S390: "s390x", elf.EM_LOONGARCH: "loong64"}
	b := binaryFormat{os: "linux", arch: cmp.Or(known[f.Machine], f.Machine.String())}
	if f.Type != elf.ET_DYN {
		return b, fmt.Errorf("it is a program or object file (%v), no shared library", f.Type)
	}
	// The linker script of onnxruntime gives its symbols the version VERS_x.y.z.
	if versions, err := f.DynamicVersions(); err == nil {
		for _, v := range versions {
			if n := parseVersion(v.Name); n != (version{}) && strings.HasPrefix(v.Name, "VERS_") {
				b.version = n
			}
		}
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return b, fmt.Errorf("its symbols cannot be read: %v", err)
	}
	for _, s := range symbols {
		if s.Name == entry && s.Section != elf.SHN_UNDEF {
			b.exports = true
		}
	}
	return b, nil
}

func isMachO(magic []byte) bool {
	switch binary.LittleEndian.Uint32(magic) {
	case macho.Magic32, macho.Magic64, 0xbebafeca, 0xcafebabe:
		return true
	}
	return false
}

func inspectMachO(r io.ReaderAt, entry, goarch string) (binaryFormat, error) {
	if fat, err := macho.NewFatFile(r); err == nil {
		defer fat.Close()
		best := binaryFormat{}
		for _, a := range fat.Arches {
			if b := readMachO(a.File, entry); best.arch == "" || b.arch == goarch {
				best = b
			}
		}
		return best, nil
	}
	f, err := macho.NewFile(r)
	if err != nil {
		return binaryFormat{}, err
	}
	defer f.Close()
	if f.Type != macho.TypeDylib {
		return binaryFormat{}, fmt.Errorf("it is not a shared library (%v)", f.Type)
	}
	return readMachO(f, entry), nil
}

func readMachO(f *macho.File, entry string) binaryFormat {
	known := map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}
	b := binaryFormat{os: "darwin", arch: cmp.Or(known[f.Cpu], f.Cpu.String())}
	const loadIDDylib = 0xd // LC_ID_DYLIB: cmd, size, name, timestamp, current version
	for _, l := range f.Loads {
		raw := l.Raw()
		if len(raw) >= 20 && f.ByteOrder.Uint32(raw) == loadIDDylib {
			v := f.ByteOrder.Uint32(raw[16:])
			b.version = version{int(v >> 16), int(v >> 8 & 255), int(v & 255)}
		}
	}
	if f.Symtab != nil {
		for _, s := range f.Symtab.Syms {
			if s.Name == "_"+entry && s.Sect != 0 {
				b.exports = true
			}
		}
	}
	return b
}

func inspectPE(r io.ReaderAt, entry string) (binaryFormat, error) {
	f, err := pe.NewFile(r)
	if err != nil {
		return binaryFormat{}, err
	}
	defer f.Close()
	known := map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64", pe.IMAGE_FILE_MACHINE_I386: "386"}
	b := binaryFormat{os: "windows", arch: cmp.Or(known[f.Machine], fmt.Sprintf("machine %#x", f.Machine))}
	if f.Characteristics&pe.IMAGE_FILE_DLL == 0 {
		return b, fmt.Errorf("it is a program, no shared library")
	}
	for _, s := range f.Sections {
		switch s.Name {
		case ".rdata", ".edata":
			if data, err := s.Data(); err == nil && bytes.Contains(data, []byte("\x00"+entry+"\x00")) {
				b.exports = true
			}
		case ".rsrc":
			if data, err := s.Data(); err == nil {
				b.version = fixedFileVersion(data)
			}
		}
	}
	return b, nil
}

// fixedFileVersion reads the file version from VS_FIXEDFILEINFO in a Windows resource section. Before it
// come the signature and the struct's version, 4 bytes each; the file version takes 8.
func fixedFileVersion(rsrc []byte) version {
	at := bytes.Index(rsrc, []byte{0xbd, 0x04, 0xef, 0xfe})
	if at < 0 || at+16 > len(rsrc) {
		return version{}
	}
	hi := binary.LittleEndian.Uint32(rsrc[at+8:])
	lo := binary.LittleEndian.Uint32(rsrc[at+12:])
	return version{int(hi >> 16), int(hi & 0xffff), int(lo >> 16)}
}
