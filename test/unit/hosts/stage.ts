/** Loaded with `node --import`: gives out the stand-in wherever a program asks for `electron`. */
import { registerHooks } from "node:module";

const standIn = new URL("./fake-electron.ts", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "electron" ? { url: standIn, shortCircuit: true } : next(specifier, context),
});
