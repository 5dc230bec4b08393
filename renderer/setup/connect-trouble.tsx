import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { assertNever } from "../../backend/contract/assert-never.ts";
import { durationText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import type { ConnectField } from "./connect-form.ts";
import type { Way } from "./method-step.tsx";
import classes from "./setup.module.css";
import type { Connecting } from "./use-connect.ts";

/** The field in which the cause lies, where it lies in one. */
export const markedField = (state: Connecting, way: Way): ConnectField | null => {
  if (state.kind === "trouble") return state.trouble === "service_down" ? null : "serviceUrl";
  return state.kind === "refused" && state.code === "denied" ? (way === "code" ? "code" : "secret") : null;
};

/** What the connection test found; it stays until the next try. */
export const ConnectTrouble = ({ state, way }: { readonly state: Connecting; readonly way: Way }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const text = (): string => {
    switch (state.kind) {
      case "idle":
      case "testing":
        return "";
      case "trouble":
        return t(`connection.${state.trouble}`);
      case "clock":
        return t(state.offMs > 0 ? "connection.clockAhead" : "connection.clockBehind", {
          time: durationText(Math.abs(state.offMs), language),
        });
      case "refused":
        return state.code === "denied" && way === "code" ? t("connection.codeUsed") : t(`refusals.${state.code}`);
      default:
        return assertNever(state);
    }
  };
  const sentence = text();
  return (
    <p role="alert" className={classes.trouble} data-empty={sentence === "" || undefined}>
      {sentence !== "" && <IconAlertTriangle size={30} aria-hidden />}
      {sentence}
    </p>
  );
};
