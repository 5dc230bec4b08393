/** Small drawings beside words; they say nothing that the words do not. */
import { raw } from "hono/html";

const drawing = (inside: string) =>
  raw(`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${inside}</svg>`);

/** Icons as inline SVG. */
export const icons = {
  tick: drawing('<path d="M5 12.5l4.5 4.5L19 7.5"/>'),
  cross: drawing('<path d="M6 6l12 12M18 6L6 18"/>'),
  clock: drawing('<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5l3 2"/>'),
  phone: drawing('<rect x="7" y="2.5" width="10" height="19" rx="2.5"/><path d="M11 18.5h2"/>'),
  back: drawing('<path d="M10 12H3.5M7 8l-4 4 4 4"/><path d="M10 5h10v14H10"/>'),
  erase: drawing('<path d="M8.5 5H21v14H8.5L3 12z"/><path d="M12 9.5l5 5M17 9.5l-5 5"/>'),
  store: drawing('<path d="M4 10v10h16V10M3 10l2-6h14l2 6zM10 20v-6h4v6"/>'),
  sun: drawing(
    '<circle cx="12" cy="12" r="4"/><path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"/>',
  ),
  grow: drawing('<path d="M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5"/>'),
  cash: drawing('<rect x="2.5" y="6" width="19" height="12" rx="2"/><circle cx="12" cy="12" r="3"/>'),
} as const;
