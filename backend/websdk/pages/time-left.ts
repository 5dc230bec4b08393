/** Time that runs out. The server says how much is left, so that a phone whose clock is wrong counts right. */
import { html } from "hono/html";
import { scaLastSeconds, scaShownMarginMs } from "../../contract/sca.ts";
import type { Markup } from "../theme/document.ts";

const soonMs = scaLastSeconds * 1000;
const whole = (ms: number): number => Math.max(0, Math.round(ms));

const minutes = (ms: number): string => {
  const seconds = Math.ceil(whole(ms) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};

/** A countdown that the page's script goes on with. @param leftMs milliseconds left now. */
export const timeLeft = (label: string, leftMs: number): Markup =>
  html`<p class="left" role="timer" data-left-ms="${whole(leftMs)}" data-soon-ms="${soonMs}"><span>${label}</span> <b>${minutes(leftMs)}</b></p>`;

/** Seconds in a ring that empties. */
const timeRing = (label: string, leftMs: number, wholeMs: number): Markup =>
  html`<div class="ring" role="timer" aria-label="${label}" data-style="seconds" data-left-ms="${whole(leftMs)}" data-soon-ms="${soonMs}" data-whole-ms="${Math.max(1, whole(wholeMs))}">
<svg viewBox="0 0 100 100" aria-hidden="true"><circle class="track" cx="50" cy="50" r="45"/><circle class="run" cx="50" cy="50" r="45" pathLength="100"/></svg>
<b>${Math.ceil(whole(leftMs) / 1000)}</b></div>`;

/** The time for the approval, to the instant that the terminal shows too. Epoch milliseconds. */
export const approvalRing = (label: string, confirmedAtMs: number, scaExpiresAtMs: number, nowMs: number): Markup => {
  const endsAtMs = scaExpiresAtMs - scaShownMarginMs;
  return timeRing(label, endsAtMs - nowMs, endsAtMs - confirmedAtMs);
};
