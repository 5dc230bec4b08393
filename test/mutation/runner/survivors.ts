/** Shows each change that no test noticed as soon as it is known: a wing takes minutes, and the first of them can be read meanwhile. */
import path from "node:path";
import type { MutantResult } from "@stryker-mutator/api/core";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import type { Reporter } from "@stryker-mutator/api/report";

class Survivors implements Reporter {
  onMutantTested({ status, fileName, location, mutatorName, replacement }: Readonly<MutantResult>): void {
    if (status !== "Survived") return;
    const place = `${path.relative(process.cwd(), fileName)}:${location.start.line}:${location.start.column}`;
    console.log(`not noticed: ${place} ${mutatorName} ${(replacement ?? "").replaceAll(/\s+/g, " ").slice(0, 100)}`);
  }
}

/** What StrykerJS looks for. */
export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, "survivors", Survivors)];
