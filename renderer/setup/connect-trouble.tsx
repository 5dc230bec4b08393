import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { assertNever } from "../../backend/contract/assert-never.ts";
import { durationText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import type { ConnectField } from "./connect-form.ts";
import type { ConnectMethod } from "./method-step.tsx";
import classes from "./setup.module.css";
import type { ConnectState } from "./use-connect.ts";

/** The field that caused the error; null where it is none of them. */
export const markedField = (state: ConnectState, method: ConnectMethod): ConnectField | null => {
  if (state.kind === "trouble") return state.trouble === "service_down" ? null : "serviceUrl";
  return state.kind === "refused" && state.code === "denied" ? (method === "code" ? "code" : "secret") : null;
};

/** The error of the connection test; it stays until the next try. */
export const ConnectTrouble = ({ state, method }: { readonly state: ConnectState; readonly method: ConnectMethod }) => {
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
        return state.code === "denied" && method === "code" ? t("connection.codeUsed") : t(`refusals.${state.code}`);
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
