/** Short sounds for the cashier. Silent until the browser allows audio. */
let context: AudioContext | null = null;

/** Browsers allow audio only after a user gesture: call it on the first one. */
export const unlockAudio = (): void => {
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
};

/** Gain at full volume. */
const loudnessMax = 0.25;
const fadeSeconds = 0.02;

const tonesOf = {
  tick: [{ hertz: 880, startSeconds: 0, lengthSeconds: 0.07 }],
  give: [
    { hertz: 660, startSeconds: 0, lengthSeconds: 0.14 },
    { hertz: 990, startSeconds: 0.15, lengthSeconds: 0.24 },
  ],
  never: [
    { hertz: 330, startSeconds: 0, lengthSeconds: 0.2 },
    { hertz: 220, startSeconds: 0.22, lengthSeconds: 0.32 },
  ],
  nothing: [{ hertz: 330, startSeconds: 0, lengthSeconds: 0.2 }],
  ask: [
    { hertz: 520, startSeconds: 0, lengthSeconds: 0.12 },
    { hertz: 520, startSeconds: 0.2, lengthSeconds: 0.12 },
  ],
} satisfies Record<string, readonly Readonly<{ hertz: number; startSeconds: number; lengthSeconds: number }>[]>;

/** Name of a sound. */
export type Sound = keyof typeof tonesOf;

/** Plays a sound. @param volume in percent; 0 plays nothing. */
export const play = (sound: Sound, volume: number): void => {
  if (context?.state !== "running" || volume === 0) return;
  const loudness = (loudnessMax * volume) / 100;
  for (const tone of tonesOf[sound]) {
    const start = context.currentTime + tone.startSeconds;
    const end = start + tone.lengthSeconds;
    const oscillator = new OscillatorNode(context, { type: "sine", frequency: tone.hertz });
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(loudness, start + fadeSeconds);
    gain.gain.linearRampToValueAtTime(0, end);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(start);
    oscillator.stop(end);
  }
};
