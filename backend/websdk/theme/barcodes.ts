/** A withdrawal's code as Code 128 and as QR, drawn on the server: black on white in every theme, with full quiet zones. */
import type { DrawingContext, RenderOptions } from "bwip-js/generic";
import { raw } from "hono/html";

type Draw = (options: RenderOptions, drawing: DrawingContext<string>) => string;
/** The types of bwip-js do not know the level of a QR code. */
type DrawQr = (options: RenderOptions & { readonly eclevel: "Q" }, drawing: DrawingContext<string>) => string;

/** Loaded for the first code: a service that only answers terminals starts without it. */
const loadDrawing = () => import("bwip-js/generic");

/** ISO/IEC 15417 asks for 10 modules of quiet zone beside a Code 128, ISO/IEC 18004 for 4 around a QR code. */
const code128QuietModules = 10;
const qrQuietModules = 4;
/** bwip-js draws a module of these sizes at its default scale. */
const code128UnitsPerModule = 2;
const qrUnitsPerModule = 4;
const code128HeightMm = 14;

/** The script makes a module a whole number of device pixels; it needs to know how many modules there are. */
const asImage = (svg: string, label: string, unitsPerModule: number) => {
  const widthUnits = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1] ?? 0);
  const attributes = `class="code" role="img" aria-label="${label}" shape-rendering="crispEdges" data-modules="${widthUnits / unitsPerModule}"`;
  return raw(svg.replace("<svg ", `<svg ${attributes} `));
};

/** `label` is one of our own texts, never input. */
export const code128Image = async (id: string, label: string) => {
  const { code128, drawingSVG } = await loadDrawing();
  const draw: Draw = code128;
  return asImage(
    draw(
      {
        bcid: "code128",
        text: id,
        height: code128HeightMm,
        paddingwidth: code128QuietModules,
        paddingheight: 2,
        barcolor: "000000",
        backgroundcolor: "FFFFFF",
      },
      drawingSVG(),
    ),
    label,
    code128UnitsPerModule,
  );
};

/** `label` is one of our own texts, never input. */
export const qrImage = async (id: string, label: string) => {
  const { qrcode, drawingSVG } = await loadDrawing();
  const draw: DrawQr = qrcode;
  return asImage(
    draw(
      {
        bcid: "qrcode",
        text: id,
        eclevel: "Q",
        padding: qrQuietModules * 2,
        barcolor: "000000",
        backgroundcolor: "FFFFFF",
      },
      drawingSVG(),
    ),
    label,
    qrUnitsPerModule,
  );
};
