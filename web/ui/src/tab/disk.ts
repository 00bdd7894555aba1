// The files of the program in a browser's tab: node's fs, as Go's os wants it, over IndexedDB. A
// sync writes a file to the database, in a transaction that the browser has on the disk; a rename
// is one transaction, so a file is replaced as a whole or not at all. Names, sizes and times are
// kept in memory; contents only while a file is open.

interface Node {
	path: string; // "" once it is removed
	ino: number;
	dir: boolean;
	mode: number; // permissions
	mtime: number; // ms
	size: number;
	data: Uint8Array | null; // null: in the database only; may be longer than size
	dirty: boolean; // the database has less
	fds: number;
}
type Row = Pick<Node, "path" | "ino" | "dir" | "mode" | "mtime" | "size">;

interface Open { node: Node; flags: number; at: number }

type Done = (err: Error | null, value?: unknown) => void;

const O = { O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 0o100, O_EXCL: 0o200, O_TRUNC: 0o1000, O_APPEND: 0o2000, O_DIRECTORY: 0o200000 };
const BLOB = 16 << 20; // bytes from which contents are kept as a blob

class Fault extends Error {
	constructor(public code: string) { super(code); }
}

const parent = (path: string) => path.slice(0, path.lastIndexOf("/")) || "/";

/** An absolute path without "." and "..". */
function resolve(...parts: string[]): string {
	const way: string[] = [];
	for (const step of parts.join("/").split("/")) {
		if (step === "..") way.pop();
		else if (step && step !== ".") way.push(step);
	}
	return "/" + way.join("/");
}

export class Disk {
	private nodes = new Map<string, Node>();
	private fds = new Map<number, Open>();
	private nextFd = 3;
	private nextIno = 2;
	private turn: Promise<unknown> = Promise.resolve();
	private line = "";

	private constructor(private db: IDBDatabase | null, private say: (line: string) => void) {}

	/** Opens the database of this name. say gets what the program prints, line by line; denied: there is none, and the files last as long as the tab. */
	static async open(name: string, say: (line: string) => void, denied: () => void): Promise<Disk> {
		const db = await (async () => {
			const asked = indexedDB.open(name, 1);
			asked.onupgradeneeded = () => {
				asked.result.createObjectStore("files", { keyPath: "path" });
				asked.result.createObjectStore("contents");
			};
			return answer(asked);
		})().catch(() => null);
		if (!db) denied();
		const disk = new Disk(db, say);
		disk.nodes.set("/", { path: "/", ino: 1, dir: true, mode: 0o700, mtime: 0, size: 0, data: null, dirty: false, fds: 0 });
		for (const row of !disk.db ? [] : (await answer(disk.db.transaction("files").objectStore("files").getAll())) as Row[]) {
			disk.nodes.set(row.path, { ...row, data: null, dirty: false, fds: 0 });
			disk.nextIno = Math.max(disk.nextIno, row.ino + 1);
		}
		return disk;
	}

	/** The functions that Go expects in globalThis.fs. */
	fs() {
		const later = (f: (...a: any[]) => unknown) => (...a: any[]) => {
			const done = a.pop() as Done;
			let value: unknown;
			try {
				value = f(...a);
			} catch (e) {
				done(e as Error);
				return;
			}
			if (value instanceof Promise) value.then((v) => done(null, v), (e) => done(e as Error));
			else done(null, value);
		};
		const none = (code: string) => later(() => { throw new Fault(code); });
		return {
			constants: O,
			writeSync: (fd: number, buf: Uint8Array) => this.print(fd, buf),
			open: later((path: string, flags: number, mode: number) => this.openFile(resolve(path), flags, mode)),
			close: later((fd: number) => this.close(fd)),
			read: later((fd: number, buf: Uint8Array, at: number, n: number, pos: number | null) => this.read(fd, buf, at, n, pos)),
			write: later((fd: number, buf: Uint8Array, at: number, n: number, pos: number | null) => this.write(fd, buf.subarray(at, at + n), pos)),
			fsync: later((fd: number) => this.sync(this.get(fd).node)),
			fstat: later((fd: number) => this.stat(this.get(fd).node)),
			stat: later((path: string) => this.stat(this.find(path))),
			lstat: later((path: string) => this.stat(this.find(path))),
			ftruncate: later((fd: number, n: number) => this.truncate(this.get(fd).node, n)),
			fchmod: later((fd: number, mode: number) => this.chmod(this.get(fd).node, mode)),
			chmod: later((path: string, mode: number) => this.chmod(this.find(path), mode)),
			utimes: later((path: string, _: number, mtime: number) => this.touch(this.find(path), mtime * 1000)),
			readdir: later((path: string) => this.list(this.find(path)).map((n) => n.path.slice(n.path.lastIndexOf("/") + 1))),
			mkdir: later((path: string, mode: number) => this.inTurn(() => this.mkdir(resolve(path), mode))),
			rename: later((from: string, to: string) => this.inTurn(() => this.rename(resolve(from), resolve(to)))),
			unlink: later((path: string) => this.inTurn(() => this.remove(resolve(path), false))),
			rmdir: later((path: string) => this.inTurn(() => this.remove(resolve(path), true))),
			fchown: later(() => undefined), chown: later(() => undefined), lchown: later(() => undefined),
			readlink: none("EINVAL"), link: none("ENOSYS"), symlink: none("ENOSYS"), truncate: none("ENOSYS"),
		};
	}

	/** The functions that Go expects in globalThis.path and globalThis.process. */
	static readonly path = { resolve };
	static readonly process = {
		getuid: () => -1, getgid: () => -1, geteuid: () => -1, getegid: () => -1, getgroups: () => [], pid: 1, ppid: 0,
		umask: () => 0, cwd: () => "/", chdir: () => { throw new Fault("ENOSYS"); },
	};

	private get(fd: number): Open {
		const open = this.fds.get(fd);
		if (!open) throw new Fault("EBADF");
		return open;
	}

	private find(path: string): Node {
		const node = this.nodes.get(resolve(path));
		if (!node) throw new Fault(this.nodes.get(parent(resolve(path)))?.dir === false ? "ENOTDIR" : "ENOENT");
		return node;
	}

	/** The folder that a new name is to stand in. */
	private folder(path: string): void {
		if (!this.find(parent(path)).dir) throw new Fault("ENOTDIR");
	}

	private list(dir: Node): Node[] {
		if (!dir.dir) throw new Fault("ENOTDIR");
		return [...this.nodes.values()].filter((n) => n !== dir && parent(n.path) === dir.path);
	}

	private stat(n: Node) {
		return {
			dev: 1, ino: n.ino, mode: n.mode | (n.dir ? 0o40000 : 0o100000), nlink: n.path ? 1 : 0, uid: 0, gid: 0, rdev: 0, size: n.size, blksize: 4096, blocks: Math.ceil(n.size / 512),
			atimeMs: n.mtime, mtimeMs: n.mtime, ctimeMs: n.mtime, isDirectory: () => n.dir,
		};
	}

	private async openFile(path: string, flags: number, mode: number): Promise<number> {
		let node = this.nodes.get(path);
		if (node && flags & O.O_CREAT && flags & O.O_EXCL) throw new Fault("EEXIST");
		if (!node && !(flags & O.O_CREAT)) node = this.find(path);
		if (node?.dir && flags & (O.O_WRONLY | O.O_RDWR)) throw new Fault("EISDIR");
		if (node && !node.dir && flags & O.O_DIRECTORY) throw new Fault("ENOTDIR");
		if (!node) {
			this.folder(path);
			node = { path, ino: this.nextIno++, dir: false, mode: mode & 0o777, mtime: Date.now(), size: 0, data: new Uint8Array(), dirty: true, fds: 0 };
			this.nodes.set(path, node);
		}
		node.fds++;
		try {
			if (flags & O.O_TRUNC) {
				node.data ??= new Uint8Array();
				await this.truncate(node, 0);
			} else if (!node.dir) await this.load(node);
		} catch (e) {
			node.fds--;
			throw e;
		}
		const fd = this.nextFd++;
		this.fds.set(fd, { node, flags, at: 0 });
		return fd;
	}

	private async load(node: Node): Promise<void> {
		if (node.data) return;
		let kept: unknown = await answer(this.db!.transaction("contents").objectStore("contents").get(node.ino));
		if (kept instanceof Blob) kept = new Uint8Array(await kept.arrayBuffer());
		if (node.data) return; // somebody else has read it meanwhile
		if (!(kept instanceof Uint8Array) || kept.length !== node.size) throw new Fault("EIO");
		node.data = kept;
	}

	private async close(fd: number): Promise<void> {
		const { node } = this.get(fd);
		this.fds.delete(fd);
		node.fds--;
		if (node.dirty) await this.sync(node);
		if (node.fds === 0 && !node.dirty && this.db) node.data = null;
	}

	private read(fd: number, buf: Uint8Array, at: number, most: number, pos: number | null): number {
		if (fd === 0) return 0;
		const open = this.get(fd);
		const from = pos ?? open.at;
		if (open.node.dir) throw new Fault("EISDIR");
		const n = Math.max(0, Math.min(most, open.node.size - from));
		buf.set(open.node.data!.subarray(from, from + n), at);
		if (pos === null) open.at += n;
		return n;
	}

	private write(fd: number, what: Uint8Array, pos: number | null): number {
		if (fd === 1 || fd === 2) return this.print(fd, what);
		const open = this.get(fd);
		if (!(open.flags & (O.O_WRONLY | O.O_RDWR))) throw new Fault("EBADF");
		const node = open.node;
		const from = open.flags & O.O_APPEND ? node.size : (pos ?? open.at);
		this.grow(node, from + what.length);
		node.data!.set(what, from);
		node.size = Math.max(node.size, from + what.length);
		node.mtime = Date.now();
		node.dirty = true;
		if (pos === null) open.at = from + what.length;
		return what.length;
	}

	private grow(node: Node, size: number): void {
		if (size <= node.data!.length) return;
		const more = new Uint8Array(Math.max(size, Math.min(2 * node.data!.length, node.data!.length + BLOB)));
		more.set(node.data!.subarray(0, node.size));
		node.data = more;
	}

	private async truncate(node: Node, size: number): Promise<void> {
		if (node.dir) throw new Fault("EISDIR");
		await this.load(node);
		if (size === node.size) return;
		this.grow(node, size);
		node.data!.fill(0, Math.min(size, node.size), Math.max(size, node.size));
		node.size = size;
		node.mtime = Date.now();
		node.dirty = true;
		if (node.fds === 0) await this.sync(node);
	}

	private print(fd: number, buf: Uint8Array): number {
		if (fd !== 1 && fd !== 2) throw new Fault("EBADF");
		const lines = (this.line + new TextDecoder().decode(buf)).split("\n");
		this.line = lines.pop()!;
		for (const l of lines) this.say(l);
		return buf.length;
	}

	private chmod(node: Node, mode: number): Promise<void> | undefined {
		node.mode = mode & 0o777;
		return this.touch(node, node.mtime);
	}

	private touch(node: Node, mtime: number): Promise<void> | undefined {
		node.mtime = mtime;
		if (node.fds > 0 && !node.dir) node.dirty = true; // whoever has it open syncs it
		else if (node.path) return this.inTurn(() => this.commit((files) => files.put(row(node))));
		return undefined;
	}

	// Changes of names and writes of contents happen one after the other.
	private inTurn<T>(f: () => Promise<T>): Promise<T> {
		const now = this.turn.then(f);
		this.turn = now.catch(() => undefined);
		return now;
	}

	private async commit(change: (files: IDBObjectStore, contents: IDBObjectStore) => void): Promise<void> {
		const { db } = this;
		if (db) await new Promise<void>((done, fail) => {
			const full = (e: DOMException | null) => fail(new Fault(e?.name === "QuotaExceededError" ? "ENOSPC" : "EIO"));
			try {
				const tx = db.transaction(["files", "contents"], "readwrite", { durability: "strict" });
				tx.oncomplete = () => done();
				tx.onabort = () => full(tx.error);
				change(tx.objectStore("files"), tx.objectStore("contents"));
			} catch (e) {
				full(e as DOMException); // the database was closed: its data were removed
			}
		});
	}

	private sync(node: Node): Promise<void> {
		return this.inTurn(async () => {
			if (!node.dirty || !node.path) return;
			node.dirty = false;
			const data = node.data!.slice(0, node.size);
			try {
				await this.commit((files, contents) => {
					files.put(row(node));
					contents.put(data.length < BLOB ? data : new Blob([data]), node.ino);
				});
			} catch (e) {
				node.dirty = true;
				throw e;
			}
		});
	}

	private async mkdir(path: string, mode: number): Promise<void> {
		if (this.nodes.has(path)) throw new Fault("EEXIST");
		this.folder(path);
		const node: Node = { path, ino: this.nextIno++, dir: true, mode: mode & 0o777, mtime: Date.now(), size: 0, data: null, dirty: false, fds: 0 };
		await this.commit((files) => files.put(row(node)));
		this.nodes.set(path, node);
	}

	private async rename(from: string, to: string): Promise<void> {
		const node = this.find(from);
		const old = this.nodes.get(to);
		this.folder(to);
		if (node.dir) throw new Fault("ENOSYS"); // nobody renames folders here
		if (old?.dir) throw new Fault("EISDIR");
		if (old === node) return;
		const data = node.dirty ? node.data!.slice(0, node.size) : null;
		await this.commit((files, contents) => {
			files.delete(from);
			files.put({ ...row(node), path: to });
			if (data) contents.put(data, node.ino);
			if (old) contents.delete(old.ino);
		});
		if (old) old.path = "";
		this.nodes.delete(from);
		node.path = to;
		this.nodes.set(to, node);
	}

	private async remove(path: string, dir: boolean): Promise<void> {
		const node = this.find(path);
		if (node.dir !== dir) throw new Fault(dir ? "ENOTDIR" : "EISDIR");
		if (dir && this.list(node).length > 0) throw new Fault("ENOTEMPTY");
		await this.commit((files, contents) => {
			files.delete(path);
			contents.delete(node.ino);
		});
		this.nodes.delete(path);
		node.path = "";
	}
}

const row = (n: Node): Row => ({ path: n.path, ino: n.ino, dir: n.dir, mode: n.mode, mtime: n.mtime, size: n.size });

function answer<T>(r: IDBRequest<T>): Promise<T> {
	return new Promise((done, fail) => {
		r.onsuccess = () => done(r.result);
		r.onerror = () => fail(r.error);
	});
}
