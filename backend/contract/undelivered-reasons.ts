/** Why paid cash was not handed out, as chosen by the cashier; sent to the service unchanged. */
export const undeliveredReasons = ["till_short", "customer_left", "drawer_failed", "other"] as const;
