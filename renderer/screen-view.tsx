import { lazy, Suspense } from "react";
import { assertNever } from "../backend/contract/assert-never.ts";
import type { Snapshot } from "../preload/contract.ts";
import { Blocked, Starting } from "./setup/blocked.tsx";
import { Done, Ended } from "./withdrawal/ended.tsx";
import { Counting, Opening, Payable } from "./withdrawal/hand-out.tsx";
import { Ready } from "./withdrawal/ready.tsx";
import { Review } from "./withdrawal/review.tsx";
import { Closing, Confirming, LookingUp, Unknown, Waiting } from "./withdrawal/waiting.tsx";

// Needed once in the life of a terminal, so it is not loaded at every start.
const Setup = lazy(async () => ({ default: (await import("./setup/setup.tsx")).Setup }));

interface ScreenViewProps {
  readonly snapshot: Snapshot;
  readonly covered: boolean;
  /** Opens the drawer's day over the screen. */
  readonly openDay: () => void;
}

/** The component for the snapshot's screen. */
export const ScreenView = ({ snapshot, covered, openDay }: ScreenViewProps) => {
  const { screen } = snapshot;
  switch (screen.kind) {
    case "starting":
      return <Starting />;
    case "setup":
      return (
        <Suspense fallback={<Starting />}>
          <Setup screen={screen} />
        </Suspense>
      );
    case "blocked":
      return <Blocked screen={screen} />;
    case "ready":
      return <Ready snapshot={snapshot} cameraActive={!covered} openDay={openDay} />;
    case "looking_up":
      return <LookingUp screen={screen} />;
    case "review":
      return <Review screen={screen} />;
    case "confirming":
      return <Confirming screen={screen} />;
    case "waiting":
      return <Waiting screen={screen} />;
    case "closing":
      return <Closing screen={screen} />;
    case "payable":
      return <Payable screen={screen} settings={snapshot.settings} />;
    case "opening":
      return <Opening screen={screen} />;
    case "counting":
      return <Counting screen={screen} />;
    case "done":
      return <Done screen={screen} printer={snapshot.settings.printer} />;
    case "ended":
      return <Ended screen={screen} />;
    case "unknown":
      return <Unknown screen={screen} />;
    default:
      return assertNever(screen);
  }
};
