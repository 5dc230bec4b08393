/** The parts of the set-up after the first connection; each can be opened again from the settings. */
import { useState } from "react";
import type { Settings, Snapshot } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { ConnectStep } from "./connect-step.tsx";
import { DevicesPart } from "./devices-part.tsx";
import type { ConnectMethod } from "./method-step.tsx";
import { PracticePart } from "./practice-part.tsx";

/** The part that the settings name. */
export const SetUpParts = ({ snapshot }: { readonly snapshot: Snapshot }) => {
  const { settings, screen } = snapshot;
  const commands = useCommands();
  const [method, setMethod] = useState<ConnectMethod>("code");
  const go = (setUp: Settings["setUp"]) => (): void =>
    void commands.dispatch({ type: "change_settings", settings: { ...settings, setUp } });
  switch (settings.setUp) {
    case "connect":
      return (
        <ConnectStep
          key={method}
          method={method}
          screen={{ kind: "setup", step: screen.step, why: "not_enrolled", known: null }}
          change={setMethod}
          back={go("done")}
        />
      );
    case "devices":
      return <DevicesPart settings={settings} next={go("practice")} later={go("done")} />;
    case "practice":
      return <PracticePart done={go("done")} back={go("devices")} />;
    case "done":
      return null;
  }
};
