import { IconPrinter } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { PrinterTest, Settings } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { DeviceRow } from "./device-row.tsx";

/** The receipt printer, with a test that says what became of it. */
export const PrinterRow = ({ printer }: Pick<Settings, "printer">) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [test, setTest] = useState<PrinterTest | "untried" | "testing" | "refused">("untried");
  const hasPrinter = printer.kind !== "none";
  const print = (): void => {
    setTest("testing");
    void commands
      .dispatch({ type: "test_printer" })
      .then((reply) => setTest(reply.ok ? (reply.data as PrinterTest) : "refused"));
  };
  const resultText = (): string => {
    if (!hasPrinter) return t("devices.printerNone");
    switch (test) {
      case "untried":
        return t("devices.drawerSays.untried");
      case "testing":
        return t("devices.printing");
      case "printed":
        return t("devices.printed");
      case "refused":
        return t("refusals.busy");
      default:
        return t("printing.notPrinted", { why: t(`printing.why.${test}`) });
    }
  };
  return (
    <DeviceRow
      icon={<IconPrinter size={34} stroke={1.8} aria-hidden />}
      name={t("settings.printer")}
      result={resultText()}
      isGood={test === "printed"}
      {...(hasPrinter && { test: { label: t("devices.tryPrinter"), run: print } })}
    />
  );
};
