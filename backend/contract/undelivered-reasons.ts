/** Why a cashier says that paid cash was not handed out; the code goes to the service as it is. */
export const undeliveredReasons = ["till_short", "customer_left", "drawer_failed", "other"] as const;
