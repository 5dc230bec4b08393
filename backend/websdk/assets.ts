/** Stylesheet and script of the phone pages, under names that change with their content, so that they can be cached forever. */
import { createHash } from "node:crypto";
import { codes, countdown, keypad, live, readAmount, receipt, shopSearch } from "./browser.ts";
import { style } from "./style.ts";

const script = [keypad, shopSearch, countdown, codes, live, receipt]
  .map((behaviour) => `(${behaviour.toString()})(${behaviour === keypad ? readAmount.toString() : ""});`)
  .join("\n");

/** A file that the pages load, under a name that changes with its content. */
const asset = (name: string, ending: string, type: string, body: string) => {
  const digest = createHash("sha256").update(body).digest("base64url").slice(0, 12);
  return { path: `/websdk-assets/${name}.${digest}.${ending}`, type, body };
};

const styleAsset = asset("phone", "css", "text/css; charset=utf-8", style);
/** The pages' script. */
export const scriptAsset = asset("phone", "js", "text/javascript; charset=utf-8", script);
/** Every file that the pages load. */
export const assets = [styleAsset, scriptAsset];
/** Their paths, below the pages' path. */
export const assetPaths = { style: styleAsset.path, script: scriptAsset.path };
