/** Kosumi, an engine for the game of Go, in a worker of a web page or of node. */
export interface Options {
	/** The folder of this package's files, where a bundler has moved them: "/kosumi/". */
	folder?: string | URL;
	/** Threads that run the network; without it one for each core but one, at most 8. */
	workers?: number;
	/** A network to use in place of the one inside: a file of KataGo's (.bin.gz), or ONNX. */
	network?: Uint8Array;
	/** The name of its file, whose ending says which it is; without it network.bin.gz. */
	networkName?: string;
	/** Equal questions get equal answers: positions are seen in one orientation, and evaluated one after the other. */
	repeatable?: boolean;
	/** Is told how many bytes have come. */
	progress?(done: number, total: number): void;
}

/** Settings by the names that `engine config` lists: { boardsize: "9", visits: "100", level: "5k" }. */
export type Settings = Record<string, string | number | boolean>;

/** Called with each line as it comes, replies of several lines and analyses under way included. */
export type Heard = (line: string) => void;

/** A conversation in GTP. */
export interface GTP {
	/**
	 * Sends a command and gives its reply, without "= ". A failure rejects with what the engine says. A command that
	 * goes on, such as kata-analyze, is answered once the next one is sent; heard has its lines before.
	 */
	command(line: string, heard?: Heard): Promise<string>;
	/** Ends it; what waits is rejected. */
	close(): void;
}

/** A query of KataGo's analysis protocol: moves, rules, boardXSize, boardYSize, maxVisits, analyzeTurns, ... */
export type Query = Record<string, unknown>;
/** A response of that protocol: id, turnNumber, moveInfos, rootInfo, ... */
export type Response = Record<string, any>;

/** A conversation in KataGo's analysis protocol. */
export interface Analysis {
	/**
	 * Sends a query, whose id is made up where it has none, and gives its results, one for each turn. An error rejects.
	 * heard is called with every response, those during the search and warnings included.
	 */
	query(q: Query, heard?: (r: Response) => void): Promise<Response[]>;
	/** Ends it; what waits is rejected. */
	close(): void;
}

export declare class Kosumi {
	/** Starts the engine. Rejects with the reason where it cannot run: a browser that is too old, say. */
	static open(options?: Options): Promise<Kosumi>;
	/** Begins a game over GTP. Settings that are wrong reject its first command. Several may be open at once. */
	gtp(settings?: Settings): GTP;
	/** Begins an analysis; visits is what a query gets that names none. */
	analysis(settings?: Settings): Analysis;
	/** Ends the engine and its threads. */
	close(): void;
}
