/** The guide as a page to print: sections side by side, with pictures of the terminal's own screens. */
import type { Language } from "../../../preload/choices.ts";
import { type Guide, pieces } from "../../../renderer/help/guide.ts";
import type { HelpSection } from "../../../renderer/help/sections.ts";

/** The pages there are, by the names of their files. */
export const guidePages = ["cashier", "manager"] as const;
/** One of `guidePages`. */
export type GuidePage = (typeof guidePages)[number];

/** Screens of the gallery that a section is shown with. */
export const pictureOf: Readonly<Partial<Record<HelpSection, string>>> = {
  scan: "ready-cashier",
  amount: "review",
  approval: "waiting-approval",
  hand_out: "payable",
  ends: "ended-already_used",
  unclear: "unknown",
  sign_in: "locked",
  set_up: "setup-connect",
  devices: "setup-devices",
  practice: "setup-practice",
};

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign);

/** What a page is made of. */
interface GuidePageParts {
  readonly language: Language;
  readonly title: string;
  readonly sections: readonly HelpSection[];
  readonly guide: Guide;
  /** The terminal's text of a key, as the guide names it. */
  readonly label: (key: string) => string;
  /** PNG pictures by the names of their screens. */
  readonly pictures: ReadonlyMap<string, Uint8Array>;
}

const style = `
  @page { size: A4; margin: 11mm }
  * { box-sizing: border-box }
  body { margin: 0; font: 8.6pt/1.32 "Open Sans", "Segoe UI", Roboto, sans-serif; color: #161a26 }
  h1 { margin: 0 0 3mm; font-size: 17pt }
  main { columns: 2; column-gap: 7mm }
  section { break-inside: avoid; padding-bottom: 3.2mm; overflow: hidden }
  h2 { margin: 0 0 1mm; padding-top: 1mm; border-top: 0.4mm solid #2c3c92; font-size: 11pt }
  img { float: right; width: 36mm; margin: 1mm 0 1mm 2.5mm; border: 0.2mm solid #8a8778; border-radius: 1mm }
  ol { margin: 0; padding-left: 4.6mm }
  li { padding-bottom: 0.6mm }
  @media screen { body { max-width: 210mm; margin: 11mm auto; font-size: 11pt } img { width: 62mm } }
`;

/** One HTML document without script or anything from elsewhere; prints on A4. */
export const guidePage = ({ language, title, sections, guide, label, pictures }: GuidePageParts): string => {
  const step = (text: string): string =>
    pieces(text)
      .map((piece) => (piece.isLabel ? `<b>${escapeHtml(label(piece.text))}</b>` : escapeHtml(piece.text)))
      .join("");
  const picture = (section: HelpSection): string => {
    const bytes = pictures.get(pictureOf[section] ?? "");
    return bytes ? `<img alt="" src="data:image/png;base64,${Buffer.from(bytes).toString("base64")}">` : "";
  };
  const parts = sections.map(
    (section) =>
      `<section><h2>${escapeHtml(guide[section].title)}</h2>${picture(section)}<ol>` +
      `${guide[section].steps.map((text) => `<li>${step(text)}</li>`).join("")}</ol></section>`,
  );
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
    `<style>${style}</style></head><body><h1>${escapeHtml(title)}</h1><main>${parts.join("")}</main></body></html>`
  );
};
