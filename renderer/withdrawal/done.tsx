import { IconArrowRight, IconPrinter } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { ScreenOf, Settings } from "../../preload/contract.ts";
import { Frame } from "../ui/frame.tsx";
import { ScreenBody } from "../ui/screen-body.tsx";
import { codeFact } from "./facts.ts";

interface DoneProps {
  readonly screen: ScreenOf<"done">;
  readonly printer: Settings["printer"];
}

/** Says that the cash is with the customer; leaves by itself. */
export const Done = ({ screen, printer }: DoneProps) => {
  const { t } = useTranslation();
  const isAsked = printer.kind !== "none" && (printer.receipts === "none" || printer.receipts === "shop");
  const { withdrawalId } = screen;
  return (
    <Frame
      tone="given"
      actions={{
        ...(isAsked
          ? {
              third: {
                label: t("printing.customer"),
                icon: <IconPrinter size={28} stroke={2.2} aria-hidden />,
                command: { type: "print_receipt", withdrawalId, copy: "customer" },
              },
            }
          : {}),
        main: {
          label: t("done.nextCustomer"),
          icon: <IconArrowRight size={36} stroke={2.4} aria-hidden />,
          command: { type: "dismiss", step: screen.step },
        },
      }}
    >
      <ScreenBody
        title={t("done.title")}
        money={screen.money}
        next={t("done.next")}
        facts={[codeFact(t("facts.code"), screen.transactionId)]}
      />
    </Frame>
  );
};
