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

function click(c: AudioContext, at: number, pan: number, loud: number): void {
	const noise = c.createBuffer(1, Math.ceil(c.sampleRate * 0.008), c.sampleRate);
	const data = noise.getChannelData(0);
	for (let i = 0; i < data.length; i++) data[i] = (Math.random() * 2 - 1) * (1 - i / data.length);
	const pitch = 0.96 + Math.random() * 0.08;
	for (const [hz, decay] of [
		[1900, 0.035],
		[3100, 0.06],
	]) {
		const source = c.createBufferSource();
		source.buffer = noise;
		const band = c.createBiquadFilter();
		band.type = "bandpass";
		band.frequency.value = hz * pitch;
		band.Q.value = 9;
		const env = c.createGain();
		env.gain.setValueAtTime(loud * 5, at);
		env.gain.exponentialRampToValueAtTime(0.001, at + decay * 2.5);
		source.connect(band).connect(env).connect(out(c, pan));
		source.start(at);
	}
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

/** A stone on the board, column from 0 to 1, and what it takes. */
export function stoneSound(column = 0.5, taken = 0): void {
	const c = context();
	if (!c) return;
	const pan = (column - 0.5) * 0.3;
	click(c, c.currentTime, pan, 1);
	for (let i = 0; i < Math.min(5, taken > 0 ? taken + 1 : 0); i++) click(c, c.currentTime + 0.12 + i * (0.045 + Math.random() * 0.025), pan, 0.35);
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

/** Sounds in one tab only, where several show the same. */
export function once(sound: () => void): void {
	if (!navigator.locks) return sound();
	void navigator.locks.request("kosumi.sound", { ifAvailable: true }, async (mine) => {
		if (!mine || !context()) return;
		sound();
		await new Promise((done) => setTimeout(done, 150));
	});
}
