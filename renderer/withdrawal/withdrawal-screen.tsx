/** What all screens of one withdrawal share: title, amount, what to do next, its code, and the buttons. */

import { IconArrowRight } from "@tabler/icons-react";
import { t } from "i18next";
import type { ReactNode } from "react";
import { codeText } from "../ui/format.ts";
import { Frame, type FrameProps } from "../ui/frame.tsx";
import { type Fact, ScreenBody, type ScreenBodyProps } from "../ui/screen-body.tsx";

interface WithdrawalScreenProps extends Omit<FrameProps, "children">, ScreenBodyProps {
  /** The code among the facts; null where none is known. */
  readonly transactionId: string | null;
  /** Below the code. */
  readonly more?: readonly Fact[];
  /** What is not seen, or lies over the screen. */
  readonly children?: ReactNode;
}

/** A screen of a withdrawal. */
export const WithdrawalScreen = ({
  tone,
  bannerText,
  actions,
  transactionId,
  facts = [],
  more = [],
  children,
  ...body
}: WithdrawalScreenProps) => {
  const code = transactionId === null ? [] : [{ name: t("facts.code"), value: codeText(transactionId) }];
  return (
    <Frame tone={tone} bannerText={bannerText} actions={actions}>
      <ScreenBody {...body} facts={[...facts, ...code, ...more]} />
      {children}
    </Frame>
  );
};

/** The button that leaves a screen for the next customer. */
export const nextCustomerAction = (label: string, step: string) =>
  ({
    label,
    icon: <IconArrowRight size={36} stroke={2.4} aria-hidden />,
    command: { type: "dismiss", step },
  }) as const;
