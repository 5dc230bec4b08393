import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Screen } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { amountText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./practice.module.css";
import { isOver, type usePractice } from "./use-practice.ts";

interface PhoneActionsProps {
  readonly practice: ReturnType<typeof usePractice>;
  readonly screen: Screen;
}

const amounts = ["20.00", "50.00", "100.00"] as const;

/** What the customer can do now: ask, show the code, approve or not, ask again. */
export const PhoneActions = ({ practice, screen }: PhoneActionsProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const commands = useCommands();
  const { withdrawal } = practice;
  if (withdrawal === null)
    return (
      <div className={classes.actions}>
        {amounts.map((amount) => (
          <Button key={amount} size="lg" onClick={() => practice.request(amount)}>
            {amountText({ amount, currency: "EUR" }, language)}
          </Button>
        ))}
      </div>
    );
  if (isOver(withdrawal))
    return (
      <div className={classes.actions}>
        <Button size="lg" onClick={practice.forget}>
          {t("phone.again")}
        </Button>
      </div>
    );
  const { status, transactionId } = withdrawal;
  return (
    <div className={classes.actions}>
      {status === "ready" && (
        <Button
          size="lg"
          disabled={screen.kind !== "ready"}
          onClick={() => void commands.dispatch({ type: "scan", text: transactionId, source: "typed" })}
        >
          {t("phone.show")}
        </Button>
      )}
      {status === "awaiting_sca" && (
        <>
          <Button size="lg" onClick={() => practice.decide(true)}>
            {t("phone.approve")}
          </Button>
          <Button size="lg" variant="default" onClick={() => practice.decide(false)}>
            {t("phone.deny")}
          </Button>
        </>
      )}
      {status === "settling" && <p>{t("phone.paying")}</p>}
      {status === "settled" && <p>{t("phone.paid")}</p>}
    </div>
  );
};
