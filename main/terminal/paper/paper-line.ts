/** What stands on paper, line by line, before anybody knows how wide it is or which characters the printer has. */
export type PaperLine =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly style?: "title" | "large" | "bold";
      readonly align?: "center";
    }
  /** A name on the left, its value on the right; on two lines where they do not fit on one. */
  | { readonly kind: "pair"; readonly label: string; readonly value: string; readonly style?: "bold" }
  /** A text as Code 128, or as a QR code where that is too wide. */
  | { readonly kind: "code"; readonly value: string }
  | { readonly kind: "rule" }
  | { readonly kind: "space" }
  | { readonly kind: "cut" };

/** Centred. */
export const title = (text: string): PaperLine => ({ kind: "text", text, style: "title", align: "center" });
/** A line of text in the middle. */
export const centered = (text: string): PaperLine => ({ kind: "text", text, align: "center" });
/** A line of text from the left. */
export const plain = (text: string): PaperLine => ({ kind: "text", text });
/** A label on the left and its value on the right. */
export const pair = (label: string, value: string): PaperLine => ({ kind: "pair", label, value });
/** A pair that stands out: the amount. */
export const boldPair = (label: string, value: string): PaperLine => ({ kind: "pair", label, value, style: "bold" });
/** A line across the paper. */
export const rule: PaperLine = { kind: "rule" };
/** An empty line. */
export const space: PaperLine = { kind: "space" };
/** The end of one slip. */
export const cut: PaperLine = { kind: "cut" };
