/** The set-up of a terminal without a service: language and appearance, method, connection. */
import { lazy, Suspense, useEffect, useState } from "react";
import type { ScreenOf } from "../../preload/contract.ts";
import { AppearanceStep } from "./appearance-step.tsx";
import { ConnectStep } from "./connect-step.tsx";
import { type ConnectMethod, MethodStep } from "./method-step.tsx";
import { useScannedLink } from "./scanned-link.ts";

const OwnStep = lazy(async () => ({ default: (await import("./own-step.tsx")).OwnStep }));

type CurrentStep =
  | { readonly step: "appearance" | "method" | "own" }
  | { readonly step: "connect"; readonly method: ConnectMethod };

/** Starts with the connection where the terminal was set up before. */
export const Setup = ({ screen }: { readonly screen: ScreenOf<"setup"> }) => {
  const isFirst = screen.why === "not_enrolled";
  const [at, setAt] = useState<CurrentStep>(isFirst ? { step: "appearance" } : { step: "connect", method: "code" });
  const link = useScannedLink((store) => store.link);
  // Whoever scans the provider's code has said how, whatever step is shown.
  useEffect(() => {
    if (link !== null) setAt({ step: "connect", method: "code" });
  }, [link]);
  switch (at.step) {
    case "appearance":
      return <AppearanceStep next={() => setAt({ step: "method" })} />;
    case "method":
      return (
        <MethodStep
          back={() => setAt({ step: "appearance" })}
          choose={(method) => setAt({ step: "connect", method })}
          runService={() => setAt({ step: "own" })}
        />
      );
    case "own":
      return (
        <Suspense>
          <OwnStep back={() => setAt({ step: "method" })} isFirst />
        </Suspense>
      );
    case "connect":
      return (
        <ConnectStep
          key={at.method}
          method={at.method}
          screen={screen}
          change={(method) => setAt({ step: "connect", method })}
          back={isFirst ? () => setAt({ step: "method" }) : null}
        />
      );
  }
};
