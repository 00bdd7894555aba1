// How the page reaches its server: through the network, or in a worker of its own tab.
import { signal } from "@preact/signals";
import { crashed, forgetful, Line, request, start, takeNewer, useHere, waits } from "./tab/client";

declare const IN_TAB: boolean; // set by web/ui/build.mjs
/** The server is in this tab: the page is a folder of files. */
export const inTab = IN_TAB;

/** A connection for messages. */
export const line = (): WebSocket | Line => (IN_TAB ? new Line() : new WebSocket(location.origin.replace(/^http/, "ws") + "/api/ws", "kosumi.v1"));

/** Fetches from the server, or a file of the page. */
export const ask = (path: string, init?: RequestInit): Promise<Response> =>
	!IN_TAB ? fetch(path, init) : path.startsWith("/api/") ? request(path, init) : fetch("." + path, init);

/** There is a newer version of the page, which a reload shows. */
export const newer = () => IN_TAB && waits.value;
export const reload = () => (newer() ? takeNewer() : location.reload());

/** The state that the page waits in before it has a server; null: none to be told. */
export const starting = () => (IN_TAB ? start.value : null);

/** Takes the place of the tab that has the files. */
export const takePlace = () => { if (IN_TAB) useHere(); };

/** The browser ended the page last time: how many threads there are now, of how many. */
export const ended = () => (IN_TAB ? crashed.value : null);
export const endedSeen = () => { if (IN_TAB) crashed.value = null; };

/** The browser keeps nothing of this visit. */
export const unkept = () => IN_TAB && forgetful.value;

/** A part of the page did not come: the server has another version by now, or there is none. */
export const missing = signal(false);
/** Takes a part of the page once it has come. */
export const later = <T>(part: Promise<T>, take: (part: T) => void): void => void part.then(take, () => (missing.value = true));
