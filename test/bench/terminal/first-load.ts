/** What a browser must load before the first screen stands, and what follows in the background; gzip as a server would send it. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

/** Bytes after gzip, before and after the first screen. */
interface FirstLoad {
  readonly firstBytes: number;
  /** Of the stylesheets that the page itself names. */
  readonly styleBytes: number;
  readonly laterBytes: number;
  readonly laterFiles: readonly string[];
}

const importPattern = /(?:import|from)\s*["']\.\/([^"']+\.js)["']/g;

/** `renderer` is the built folder, `out/renderer`. */
export const measureFirstLoad = (renderer: string): FirstLoad => {
  const html = readFileSync(path.join(renderer, "index.html"), "utf8");
  const assets = path.join(renderer, "assets");
  const read = (file: string): string => readFileSync(path.join(assets, file), "utf8");
  const named = [...html.matchAll(/(?:src|href)="[^"]*\/([^"/]+\.(?:js|css))"/g)].map(([, file = ""]) => file);
  const styles = named.filter((file) => file.endsWith(".css"));
  const first = new Set(named.filter((file) => file.endsWith(".js")));
  // A Set grows while it is walked: what an import names is walked as well.
  for (const file of first) for (const found of read(file).matchAll(importPattern)) if (found[1]) first.add(found[1]);
  const scripts = readdirSync(assets).filter((file) => file.endsWith(".js"));
  const later = scripts.filter((file) => !first.has(file));
  const bytes = (files: Iterable<string>): number =>
    [...files].reduce((sum, file) => sum + gzipSync(read(file), { level: 9 }).length, 0);
  return { firstBytes: bytes(first), styleBytes: bytes(styles), laterBytes: bytes(later), laterFiles: later };
};
