/** How the display gets the terminal's views: over the desktop's bridge, else from the host that served the page. It only listens. */
import type { CustomerBridge, CustomerView } from "../../preload/contract.ts";
import { readEvents } from "../ui/read-events.ts";

declare global {
  interface Window {
    readonly customer?: CustomerBridge;
  }
}

const reconnectMs = 1000;
const eventsPath = "/customer-display/events";

/** @param show null: the connection is lost, and what was shown last may be wrong. */
export const listen = (show: (view: CustomerView | null) => void): void => {
  if (window.customer) {
    window.customer.subscribe(show);
    return;
  }
  const open = (): void => {
    readEvents(
      eventsPath,
      (data) => show(JSON.parse(data) as CustomerView),
      () => {
        show(null);
        window.setTimeout(open, reconnectMs);
      },
    );
  };
  open();
};
