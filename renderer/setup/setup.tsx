/** Leads a terminal to its service: language and look, how it is set up, the connection. */
import { lazy, Suspense, useState } from "react";
import type { ScreenOf } from "../../preload/contract.ts";
import { AppearanceStep } from "./appearance-step.tsx";
import { ConnectStep } from "./connect-step.tsx";
import { MethodStep, type Way } from "./method-step.tsx";

const OwnStep = lazy(async () => ({ default: (await import("./own-step.tsx")).OwnStep }));

type At = { readonly step: "look" | "way" | "own" } | { readonly step: "connect"; readonly way: Way };

/** A terminal that was set up before begins where its provider's details are asked for. */
export const Setup = ({ screen }: { readonly screen: ScreenOf<"setup"> }) => {
  const isFirst = screen.why === "not_enrolled";
  const [at, setAt] = useState<At>(isFirst ? { step: "look" } : { step: "connect", way: "code" });
  switch (at.step) {
    case "look":
      return <AppearanceStep next={() => setAt({ step: "way" })} />;
    case "way":
      return (
        <MethodStep
          back={() => setAt({ step: "look" })}
          choose={(way) => setAt({ step: "connect", way })}
          runService={() => setAt({ step: "own" })}
        />
      );
    case "own":
      return (
        <Suspense>
          <OwnStep back={() => setAt({ step: "way" })} isFirst />
        </Suspense>
      );
    case "connect":
      return (
        <ConnectStep
          key={at.way}
          way={at.way}
          screen={screen}
          change={(way) => setAt({ step: "connect", way })}
          back={isFirst ? () => setAt({ step: "way" }) : null}
        />
      );
  }
};
