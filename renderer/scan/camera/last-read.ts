import type { Point } from "../decode/decoder.ts";

/** How long the frame that was read stays to be seen. */
export const shownForMs = 500;
/** Of the picture's width: it is shown small. */
const lineShare = 0.015;
const barHeightShare = 0.12;

/** Bars give two points on a line: a box around them says more than a stroke through them. */
const corners = (outline: readonly Point[], height: number): readonly Point[] => {
  const [a, b] = outline;
  if (outline.length !== 2 || !a || !b) return outline;
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const away = (height * barHeightShare) / length;
  const dx = -(b.y - a.y) * away;
  const dy = (b.x - a.x) * away;
  const move = (point: Point, by: number): Point => ({ x: point.x + dx * by, y: point.y + dy * by });
  return [move(a, 1), move(b, 1), move(b, -1), move(a, -1)];
};

/** The video's picture as it is now, with the code outlined. */
export const outlined = (video: HTMLVideoElement, outline: readonly Point[], color: string): HTMLCanvasElement => {
  const canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  context.drawImage(video, 0, 0);
  const [first, ...rest] = corners(outline, canvas.height);
  if (!first) return canvas;
  context.beginPath();
  context.moveTo(first.x, first.y);
  for (const { x, y } of rest) context.lineTo(x, y);
  context.closePath();
  context.lineWidth = canvas.width * lineShare;
  context.lineJoin = "round";
  context.strokeStyle = color;
  context.stroke();
  return canvas;
};

/**
 * Shows the frame that was read at the side of the page for half a second. The screen of the order is there by then, so it must
 * neither cover it nor take a tap.
 */
export const showLastRead = (canvas: HTMLCanvasElement): void => {
  canvas.className = "scan-last-read";
  canvas.setAttribute("aria-hidden", "true");
  document.body.append(canvas);
  setTimeout(() => canvas.remove(), shownForMs);
};
