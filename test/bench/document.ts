/** Sections of `docs/benchmarks.md`: each bench replaces its own and leaves the others. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const file = path.resolve(import.meta.dirname, "../../docs/benchmarks.md");
const preface = `# Benchmarks

Each section is written by the command it names. Ratios travel from machine to machine, absolute numbers do not.
`;

/** Puts `body` (Markdown without the heading) under \`## title\`, where that stands, else at the end. */
export const writeSection = (title: string, body: string): void => {
  const text = existsSync(file) ? readFileSync(file, "utf8") : preface;
  const section = `## ${title}\n\n${body.trim()}\n`;
  const parts = text.split(/^(?=## )/m);
  const place = parts.findIndex((part) => part.startsWith(`## ${title}\n`));
  if (place >= 0) parts[place] = section;
  else parts.push(section);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${parts.map((part) => part.trim()).join("\n\n")}\n`);
};
