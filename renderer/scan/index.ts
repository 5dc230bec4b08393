/** All that reads barcodes in the terminal. Everything ends in `onScan`; what a scan means is for the terminal's core to say. */
export { CameraPreview } from "./camera/camera-preview.tsx";
export type { OnScan, Scan } from "./scan.ts";
export { startScanners } from "./start-scanners.ts";
