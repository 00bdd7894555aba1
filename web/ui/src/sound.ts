// Sounds made by WebAudio: no files. None of them is the only sign of anything.
import { settings } from "./settings";

let ctx: AudioContext | null = null;

function context(): AudioContext | null {
	if (!settings.value.sound) return null;
	if (!navigator.userActivation?.hasBeenActive) return null; // it may not sound before a gesture
	ctx ??= new AudioContext();
	if (ctx.state === "suspended") void ctx.resume();
	return ctx;
}

function out(c: AudioContext, pan: number): AudioNode {
	const gain = c.createGain();
	gain.gain.value = (settings.value.volume / 100) * 0.9;
	const p = c.createStereoPanner();
	p.pan.value = pan;
	p.connect(gain).connect(c.destination);
	return p;
}

// A stone of slate or shell on thick wood: the touch of the stone, the ring of stone on
// wood, and the board's own deep answer, each a sum of damped waves. It is computed once;
// every stone then sounds a little different by pitch and loudness.
const MODES: [hz: number, loud: number, decay: number][] = [
	[168, 0.5, 0.06], [297, 0.42, 0.048], [512, 0.34, 0.036], [846, 0.3, 0.026], [1310, 0.34, 0.021], [1960, 0.3, 0.016], [2740, 0.22, 0.012], [3980, 0.15, 0.008], [5900, 0.08, 0.005],
];
const LENGTH = 0.32; // seconds
const VARIANTS = 5;
const knocks: AudioBuffer[] = [];

function knock(c: AudioContext): AudioBuffer {
	if (knocks.length < VARIANTS) {
		const rate = c.sampleRate;
		const buffer = c.createBuffer(1, Math.ceil(rate * LENGTH), rate);
		const data = buffer.getChannelData(0);
		const modes = MODES.map(([hz, loud, decay]) => ({ w: (2 * Math.PI * hz * (0.97 + 0.06 * Math.random())) / rate, a: loud * (0.75 + 0.5 * Math.random()), d: Math.exp(-1 / (decay * rate)) }));
		for (const { w, a, d } of modes) {
			for (let i = 0, e = a; i < data.length && e > 1e-4; i++, e *= d) data[i] += e * Math.sin(w * i);
		}
		// The touch itself: a hiss of two thousandths of a second.
		const touch = Math.ceil(rate * 0.0022);
		for (let i = 0, low = 0; i < touch; i++) {
			low += 0.55 * (Math.random() * 2 - 1 - low);
			data[i] += 0.6 * low * (1 - i / touch) ** 2;
		}
		let most = 0;
		for (const v of data) most = Math.max(most, Math.abs(v));
		const rise = Math.ceil(rate * 0.0004);
		for (let i = 0; i < data.length; i++) data[i] *= (0.85 / most) * Math.min(1, i / rise);
		knocks.push(buffer);
		return buffer;
	}
	return knocks[Math.floor(Math.random() * VARIANTS)];
}

function click(c: AudioContext, at: number, pan: number, loud: number, pitch = 1): void {
	const source = c.createBufferSource();
	source.buffer = knock(c);
	source.playbackRate.value = pitch * (0.97 + Math.random() * 0.06);
	const gain = c.createGain();
	gain.gain.value = loud * (0.88 + 0.12 * Math.random());
	source.connect(gain).connect(out(c, pan));
	source.start(at);
}

function tone(c: AudioContext, hz: number, at: number, length: number): void {
	const o = c.createOscillator();
	o.frequency.value = hz;
	const env = c.createGain();
	env.gain.setValueAtTime(0, at);
	env.gain.linearRampToValueAtTime(0.12, at + 0.01);
	env.gain.exponentialRampToValueAtTime(0.001, at + length);
	o.connect(env).connect(out(c, 0));
	o.start(at);
	o.stop(at + length);
}

/** A stone on the board, column from 0 to 1, and the stones that it takes. */
export function stoneSound(column = 0.5, taken = 0): void {
	const c = context();
	if (!c) return;
	const pan = (column - 0.5) * 0.3;
	click(c, c.currentTime, pan, 1);
	// Captured stones rattle into the lid.
	for (let i = 0; i < Math.min(6, taken > 0 ? taken + 1 : 0); i++) click(c, c.currentTime + 0.16 + i * (0.05 + Math.random() * 0.04), pan, 0.22 + 0.1 * Math.random(), 1.5 + 0.25 * Math.random());
}

export function passSound(): void {
	const c = context();
	if (!c) return;
	tone(c, 440, c.currentTime, 0.09);
	tone(c, 330, c.currentTime + 0.09, 0.09);
}

export function tickSound(): void {
	const c = context();
	if (c) tone(c, 880, c.currentTime, 0.05);
}

const HELD = 60_000; // ms: longer than one tab can be behind another

/** Sounds in one tab only, if several show the same event. */
export function once(event: string, sound: () => void): void {
	if (!context()) return; // another tab may
	if (!navigator.locks) return sound();
	void navigator.locks.request("kosumi.sound/" + event, { ifAvailable: true }, async (mine) => {
		if (!mine) return;
		sound();
		await new Promise((done) => setTimeout(done, HELD));
	});
}
