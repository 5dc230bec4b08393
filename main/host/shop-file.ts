/** What the service last said about the shop, in `shop.json` of the data folder. No secret is in it. */
import path from "node:path";
import { shopProfileSchema } from "../../preload/contract.ts";
import type { ShopStore } from "../terminal/ports.ts";
import { readJson, tryWriteJson } from "./json-file.ts";

/** Neither call throws: a file that cannot be read counts as absent. */
export const openShopFile = (folder: string): ShopStore => {
  const file = path.join(folder, "shop.json");
  return {
    load() {
      try {
        return readJson(file, shopProfileSchema);
      } catch {
        return null;
      }
    },
    save: (profile) => void tryWriteJson(file, profile),
  };
};
