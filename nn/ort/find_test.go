package ort

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func pack(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// elfFile is a minimal ELF library with one symbol, which package debug/elf can read.
func elfFile(machine elf.Machine, typ elf.Type, symbol string) []byte {
	const head, sect = 64, 64
	strings := "\x00" + symbol + "\x00"
	names := "\x00.dynsym\x00.dynstr\x00.shstrtab\x00"
	sym := pack(elf.Sym64{}, elf.Sym64{Name: 1, Info: 0x12, Shndx: 1})
	symOff := uint64(head + 4*sect)
	strOff := symOff + uint64(len(sym))
	nameOff := strOff + uint64(len(strings))
	h := elf.Header64{Type: uint16(typ), Machine: uint16(machine), Version: 1, Shoff: head, Ehsize: head, Shentsize: sect, Shnum: 4, Shstrndx: 3}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	return pack(h, elf.Section64{},
		elf.Section64{Name: 1, Type: uint32(elf.SHT_DYNSYM), Off: symOff, Size: uint64(len(sym)), Link: 2, Entsize: 24},
		elf.Section64{Name: 9, Type: uint32(elf.SHT_STRTAB), Off: strOff, Size: uint64(len(strings))},
		elf.Section64{Name: 17, Type: uint32(elf.SHT_STRTAB), Off: nameOff, Size: uint64(len(names))},
		sym, []byte(strings), []byte(names))
}

// machoFile is a library of a given version with one symbol.
func machoFile(cpu macho.Cpu, typ macho.Type, v version, symbol string) []byte {
	strings := "\x00" + symbol + "\x00"
	id := pack(uint32(0xd), uint32(32), uint32(24), uint32(0), uint32(v[0]<<16|v[1]<<8|v[2]), uint32(0), [8]byte{'x'})
	const head = 32
	symOff := uint32(head + 32 + 24)
	symtab := pack(macho.SymtabCmd{Cmd: macho.LoadCmdSymtab, Len: 24, Symoff: symOff, Nsyms: 1, Stroff: symOff + 16, Strsize: uint32(len(strings))})
	return pack(macho.FileHeader{Magic: macho.Magic64, Cpu: cpu, Type: typ, Ncmd: 2, Cmdsz: 32 + 24}, uint32(0),
		id, symtab, macho.Nlist64{Name: 1, Type: 0xf, Sect: 1}, []byte(strings))
}

// peFile is a library of a given version that contains one symbol's name.
func peFile(machine uint16, flags uint16, v version, symbol string) []byte {
	dos := make([]byte, 64)
	copy(dos, "MZ")
	dos[60] = 64
	data := []byte("\x00" + symbol + "\x00")
	info := pack(uint32(0xfeef04bd), uint32(0x10000), uint32(v[0]<<16|v[1]), uint32(v[2]<<16))
	at := uint32(64 + 4 + 20 + 2*40)
	section := func(name string, off uint32, b []byte) pe.SectionHeader32 {
		s := pe.SectionHeader32{SizeOfRawData: uint32(len(b)), VirtualSize: uint32(len(b)), PointerToRawData: off}
		copy(s.Name[:], name)
		return s
	}
	return pack(dos, []byte("PE\x00\x00"), pe.FileHeader{Machine: machine, NumberOfSections: 2, Characteristics: flags},
		section(".rdata", at, data), section(".rsrc", at+uint32(len(data)), info), data, info)
}

func TestInspect(t *testing.T) {
	old, recent := version{1, 17, 3}, version{1, 30, 0}
	for _, tc := range []struct {
		name, file string
		data       []byte
		goos, arch string
		version    string
		err        error
		message    string
	}{
		{"linux", "libonnxruntime.so.1.30.0", elfFile(elf.EM_X86_64, elf.ET_DYN, entryPoint), "linux", "amd64", "1.30.0", nil, ""},
		{"linux without a number", "libonnxruntime.so", elfFile(elf.EM_AARCH64, elf.ET_DYN, entryPoint), "linux", "arm64", "", nil, ""},
		{"linux, the oldest that serves", "libonnxruntime.so.1.24.0", elfFile(elf.EM_X86_64, elf.ET_DYN, entryPoint), "linux", "amd64", "1.24.0", nil, ""},
		{"linux, too old", "libonnxruntime.so.1.23.2", elfFile(elf.EM_X86_64, elf.ET_DYN, entryPoint), "linux", "amd64", "1.23.2", ErrLibraryTooOld, "onnxruntime 1.23.2 is too old: 1.24 or newer is needed"},
		{"linux, other processor", "libonnxruntime.so", elfFile(elf.EM_AARCH64, elf.ET_DYN, entryPoint), "linux", "amd64", "", ErrWrongPlatform, "arm64"},
		{"linux, a program", "libonnxruntime.so", elfFile(elf.EM_X86_64, elf.ET_EXEC, entryPoint), "linux", "amd64", "", ErrNotLibrary, "program"},
		{"linux, another library", "libonnxruntime.so", elfFile(elf.EM_X86_64, elf.ET_DYN, "png_read"), "linux", "amd64", "", ErrNotLibrary, entryPoint},
		{"linux, cut off", "libonnxruntime.so", elfFile(elf.EM_X86_64, elf.ET_DYN, entryPoint)[:70], "linux", "amd64", "", ErrNotLibrary, ""},
		{"linux library on a Mac", "libonnxruntime.so", elfFile(elf.EM_X86_64, elf.ET_DYN, entryPoint), "darwin", "amd64", "", ErrWrongPlatform, "linux"},
		{"mac", "libonnxruntime.dylib", machoFile(macho.CpuArm64, macho.TypeDylib, recent, "_"+entryPoint), "darwin", "arm64", "1.30.0", nil, ""},
		{"mac, too old", "libonnxruntime.dylib", machoFile(macho.CpuArm64, macho.TypeDylib, old, "_"+entryPoint), "darwin", "arm64", "1.17.3", ErrLibraryTooOld, "1.17.3"},
		{"mac, other processor", "libonnxruntime.dylib", machoFile(macho.CpuAmd64, macho.TypeDylib, recent, "_"+entryPoint), "darwin", "arm64", "1.30.0", ErrWrongPlatform, "amd64"},
		{"mac, a program", "libonnxruntime.dylib", machoFile(macho.CpuArm64, macho.TypeExec, recent, "_"+entryPoint), "darwin", "arm64", "", ErrNotLibrary, ""},
		{"mac, another library", "libonnxruntime.dylib", machoFile(macho.CpuArm64, macho.TypeDylib, recent, "_main"), "darwin", "arm64", "1.30.0", ErrNotLibrary, entryPoint},
		{"windows", "onnxruntime.dll", peFile(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_DLL, recent, entryPoint), "windows", "amd64", "1.30.0", nil, ""},
		{"windows, its own old one", "onnxruntime.dll", peFile(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_DLL, old, entryPoint), "windows", "amd64", "1.17.3", ErrLibraryTooOld, "1.17.3"},
		{"windows, other processor", "onnxruntime.dll", peFile(pe.IMAGE_FILE_MACHINE_ARM64, pe.IMAGE_FILE_DLL, recent, entryPoint), "windows", "amd64", "1.30.0", ErrWrongPlatform, "arm64"},
		{"windows, a program", "onnxruntime.dll", peFile(pe.IMAGE_FILE_MACHINE_AMD64, 0, recent, entryPoint), "windows", "amd64", "", ErrNotLibrary, "program"},
		{"windows, another library", "onnxruntime.dll", peFile(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_DLL, recent, "ZipOpen"), "windows", "amd64", "1.30.0", ErrNotLibrary, entryPoint},
		{"a web page", "libonnxruntime.so", []byte("<!DOCTYPE html><html>404</html>"), "linux", "amd64", "", ErrNotLibrary, "not a shared library of any system"},
		{"an empty file", "libonnxruntime.so", nil, "linux", "amd64", "", ErrNotLibrary, "shorter"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tc.file)
			require.NoError(t, os.WriteFile(path, tc.data, 0o644))
			v, err := inspect(path, entryPoint, tc.goos, tc.arch)
			require.Equal(t, tc.version, v)
			if tc.err == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, tc.err)
			require.ErrorContains(t, err, tc.message)
		})
	}
}

// thisPlatform returns a file that inspect accepts as a library for this machine, and its usual
// name.
func thisPlatform(v version) (name string, data []byte) {
	switch runtime.GOOS {
	case "darwin":
		cpu := map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[runtime.GOARCH]
		return "libonnxruntime." + v.String() + ".dylib", machoFile(cpu, macho.TypeDylib, v, "_"+entryPoint)
	case "windows":
		machine := map[string]uint16{"amd64": pe.IMAGE_FILE_MACHINE_AMD64, "arm64": pe.IMAGE_FILE_MACHINE_ARM64}[runtime.GOARCH]
		return "onnxruntime.dll", peFile(machine, pe.IMAGE_FILE_DLL, v, entryPoint)
	}
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	return "libonnxruntime.so." + v.String(), elfFile(machine, elf.ET_DYN, entryPoint)
}

// put writes the library of [thisPlatform] into dir and returns its path.
func put(t *testing.T, dir string, v version) string {
	t.Helper()
	name, data := thisPlatform(v)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, data, 0o644))
	return path
}

// elsewhere sets the environment so that the user's library is searched for only under an empty folder,
// and returns that folder.
func elsewhere(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "LocalAppData"} {
		t.Setenv(name, home)
	}
	for _, name := range []string{"XDG_CACHE_HOME", EnvLibrary, "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		t.Setenv(name, "")
	}
	return home
}

func TestFindOrder(t *testing.T) {
	home := elsewhere(t)
	cache := filepath.Join(home, ".cache", "kosumi", "onnxruntime")
	older := put(t, filepath.Join(cache, "1.26.0"), version{1, 26, 0})
	found := func(explicit string) Library {
		lib, err := Find(explicit)
		require.NoError(t, err)
		return lib
	}
	require.Equal(t, Library{Path: older, Version: "1.26.0", Source: "the cache"}, found(""))

	newer := put(t, filepath.Join(cache, "1.30.0"), version{1, 30, 0})
	put(t, filepath.Join(cache, "1.9.1"), version{1, 9, 1})
	require.Equal(t, newer, found("").Path, "numbers are compared as numbers")

	gpu := put(t, filepath.Join(cache, "1.30.0-cuda"), version{1, 30, 0})
	require.Equal(t, gpu, found("").Path, "of equal versions the one with more providers")

	xdg := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", xdg)
	first := put(t, filepath.Join(xdg, "kosumi", "onnxruntime", "1.27.0"), version{1, 27, 0})
	require.Equal(t, first, found("").Path, "XDG_CACHE_HOME goes first")

	program, err := os.Executable()
	require.NoError(t, err)
	pip := filepath.Join(filepath.Dir(program), "..", "lib", "kosumi")
	t.Cleanup(func() { os.RemoveAll(pip) })
	own := put(t, pip, version{1, 24, 0})
	require.Equal(t, Library{Path: own, Version: "1.24.0", Source: "beside the program"}, found(""))

	named := put(t, t.TempDir(), version{1, 25, 0})
	t.Setenv(EnvLibrary, named)
	require.Equal(t, Library{Path: named, Version: "1.25.0", Source: EnvLibrary}, found(""))
	t.Setenv(EnvLibrary, filepath.Dir(named))
	require.Equal(t, named, found("").Path, "a folder serves as well")

	flag := put(t, t.TempDir(), version{1, 24, 0})
	require.Equal(t, Library{Path: flag, Version: "1.24.0", Source: "--onnxruntime"}, found(flag))
}

func TestFindRefuses(t *testing.T) {
	home := elsewhere(t)
	put(t, filepath.Join(home, ".cache", "kosumi", "onnxruntime", "1.30.0"), version{1, 30, 0})
	t.Run("explicit and absent", func(t *testing.T) {
		_, err := Find(filepath.Join(home, "nowhere"))
		require.ErrorIs(t, err, ErrNoLibrary)
		require.ErrorIs(t, err, ErrNotFound, "what was asked for is not replaced by what is there")
		require.ErrorContains(t, err, "nowhere")
		require.ErrorContains(t, err, "make deps")
	})
	t.Run("explicit and old", func(t *testing.T) {
		_, err := Find(put(t, t.TempDir(), version{1, 18, 1}))
		require.ErrorIs(t, err, ErrLibraryTooOld)
	})
	t.Run("environment and absent", func(t *testing.T) {
		t.Setenv(EnvLibrary, filepath.Join(home, "nowhere"))
		_, err := Find("")
		require.ErrorIs(t, err, ErrNoLibrary)
		require.ErrorContains(t, err, EnvLibrary)
	})
	t.Run("an empty folder", func(t *testing.T) {
		_, err := Find(t.TempDir())
		require.ErrorIs(t, err, ErrNotFound)
	})
	t.Run("a folder named like a pattern", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "a[b]*")
		if runtime.GOOS == "windows" {
			dir = filepath.Join(t.TempDir(), "a[b]")
		}
		want := put(t, dir, version{1, 30, 0})
		lib, err := Find(dir)
		require.NoError(t, err)
		require.Equal(t, want, lib.Path)
	})
}

// TestCandidatesGiveReasons: the report contains every place, usable or not.
func TestCandidatesGiveReasons(t *testing.T) {
	home := elsewhere(t)
	old := put(t, filepath.Join(home, ".cache", "kosumi", "onnxruntime", "1.20.0"), version{1, 20, 0})
	all := Candidates("")
	sources := map[string]bool{}
	for _, c := range all {
		sources[c.Source] = true
		if c.Path == old {
			require.ErrorIs(t, c.Err, ErrLibraryTooOld)
		}
	}
	for _, want := range []string{"beside the program", "the cache", "the system's library path"} {
		require.True(t, sources[want], "%s is missing from %v", want, all)
	}
}

func TestLoaderDirs(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	main := write("ld.so.conf", "# comment\n/opt/a # here\n\ninclude conf.d/*.conf\nrelative/is/ignored\n/opt/z\n")
	write("conf.d/b.conf", "/opt/b\n/opt/c\n")
	write("conf.d/loop.conf", "include "+main+"\n")
	dirs := loaderDirs(main, 0)
	require.Subset(t, dirs, []string{"/opt/a", "/opt/b", "/opt/c", "/opt/z"})
	require.Equal(t, "/opt/a", dirs[0])
	require.Less(t, len(dirs), 100, "a file that includes itself comes to an end")
	require.Empty(t, loaderDirs(filepath.Join(dir, "absent"), 0))
}

func TestVersions(t *testing.T) {
	for text, want := range map[string]version{
		"VERS_1.24.2": {1, 24, 2}, "libonnxruntime.so.1.24": {1, 24, 0}, "libonnxruntime.so.1": {}, "": {},
	} {
		require.Equal(t, want, parseVersion(text), text)
	}
	require.Empty(t, version{}.String())
}

func TestValidate(t *testing.T) {
	require.NoError(t, Config{}.Validate())
	require.NoError(t, Config{Provider: "CUDA", Threads: 8, MaxBatch: 64}.Validate())
	err := Config{Provider: "abacus", Threads: -1, MaxBatch: 1 << 20}.Validate()
	require.ErrorIs(t, err, ErrProvider)
	for _, part := range []string{"abacus", "tensorrt", "threads", "batch"} {
		require.ErrorContains(t, err, part)
	}
	c := Config{Provider: "CUDA"}.withDefaults()
	require.Equal(t, Config{Provider: "cuda", Threads: 1, MaxBatch: 1}, c)
}
