import { type ComponentType, lazy, Suspense } from "react";
import type { Screen, ScreenOf } from "../preload/contract.ts";
import { Blocked, Starting } from "./setup/blocked.tsx";
import { Ready, type ReadyProps } from "./withdrawal/ready.tsx";
import {
  Closing,
  Confirming,
  Counting,
  Done,
  Ended,
  LookingUp,
  Opening,
  Payable,
  Review,
  Unknown,
  Waiting,
} from "./withdrawal/withdrawal-screens.tsx";

type View<Kind extends Screen["kind"]> = ComponentType<ReadyProps & { readonly screen: ScreenOf<Kind> }>;

const views: { readonly [Kind in Screen["kind"]]: View<Kind> } = {
  starting: Starting,
  // Needed once in the life of a terminal, so it is not loaded at every start.
  setup: lazy(async () => ({ default: (await import("./setup/setup.tsx")).Setup })),
  blocked: Blocked,
  ready: Ready,
  looking_up: LookingUp,
  review: Review,
  confirming: Confirming,
  waiting: Waiting,
  closing: Closing,
  payable: Payable,
  opening: Opening,
  counting: Counting,
  done: Done,
  ended: Ended,
  unknown: Unknown,
};

/** The component for the snapshot's screen. */
export const ScreenView = (props: ReadyProps & { readonly screen: Screen }) => {
  // The cast is safe: the view is looked up by the screen's own kind.
  const Shown = views[props.screen.kind] as View<Screen["kind"]>;
  return (
    <Suspense fallback={<Starting />}>
      <Shown {...props} />
    </Suspense>
  );
};
