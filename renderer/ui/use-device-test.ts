/** Tests of drawer and printer with their results as text. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { DrawerTest, PrinterTest, Settings } from "../../preload/contract.ts";
import { useCommands } from "./command-context.tsx";

/** A device's last result, and its test; null where there is nothing to test. */
export interface DeviceTest {
  readonly result: string;
  readonly isGood: boolean;
  readonly test: { readonly label: string; readonly run: () => void } | null;
}

/** Tests the drawer of the settings by opening it. */
export const useDrawerTest = ({ kind }: Settings["drawer"]): DeviceTest => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [drawer, setDrawer] = useState<DrawerTest | "untried" | "testing" | "busy">("untried");
  const run = (): void => {
    setDrawer("testing");
    void commands
      .dispatch({ type: "test_drawer" })
      .then((reply) => setDrawer(reply.ok ? (reply.data as DrawerTest) : reply.code === "busy" ? "busy" : "failed"));
  };
  if (kind === "none") return { result: "", isGood: false, test: null };
  return {
    result: t(`devices.drawerSays.${drawer}`),
    isGood: drawer === "opened",
    test: { label: t("devices.tryDrawer"), run },
  };
};

/** Tests the printer with a page that holds the letters of all languages. */
export const usePrinterTest = ({ kind }: Settings["printer"]): DeviceTest => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [test, setTest] = useState<PrinterTest | "untried" | "testing" | "refused">("untried");
  const run = (): void => {
    setTest("testing");
    void commands
      .dispatch({ type: "test_printer" })
      .then((reply) => setTest(reply.ok ? (reply.data as PrinterTest) : "refused"));
  };
  if (kind === "none") return { result: "", isGood: false, test: null };
  const resultText = (): string => {
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
  return { result: resultText(), isGood: test === "printed", test: { label: t("devices.tryPrinter"), run } };
};
