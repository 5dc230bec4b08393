/** What all screens of one withdrawal share: title, amount, what to do next, its code, and the buttons. */

import { IconArrowRight } from "@tabler/icons-react";
import { t } from "i18next";
import type { ReactNode } from "react";
import { codeText } from "../../backend/contract/ids.ts";
import type { Amount } from "../../preload/contract.ts";
import type { Action } from "../ui/action-bar.tsx";
import { Frame, type FrameProps } from "../ui/frame.tsx";
import { ScreenBody, type ScreenBodyProps } from "../ui/screen-body.tsx";

interface WithdrawalScreenProps extends Omit<FrameProps, "children">, ScreenBodyProps {
  /** Its amount is shown, where it has one, and its code among the facts. */
  readonly screen: { readonly transactionId: string | null; readonly money?: Amount | null };
  /** Below the code. */
  readonly more?: ScreenBodyProps["facts"];
  /** Texts for screen readers alone, and dialogs. */
  readonly children?: ReactNode;
}

/** A screen of a withdrawal. */
export const WithdrawalScreen = (props: WithdrawalScreenProps) => {
  const { screen, tone, bannerText, actions, facts = [], more = [], children, ...body } = props;
  const code = screen.transactionId === null ? [] : [[t("facts.code"), codeText(screen.transactionId)] as const];
  return (
    <Frame tone={tone} bannerText={bannerText} actions={actions}>
      <ScreenBody money={screen.money ?? null} {...body} facts={[...facts, ...code, ...more]} />
      {children}
    </Frame>
  );
};

/** The button that leaves a screen for the next customer. */
export const nextCustomerAction = (label: string, step: string): Action => ({
  label,
  icon: IconArrowRight,
  command: { type: "dismiss", step },
});
