import { CHART_STYLE, FONT, THEME } from "./chart-theme.ts";

/** Complete style of the page, without external resources. */
export const PAGE_STYLE = `${THEME}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:14px/22px ${FONT};font-variant-numeric:tabular-nums}
a{color:var(--accent)}a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:-9999px}.skip:focus{left:16px;top:8px}
header,main,footer{max-width:1280px;margin:0 auto;padding:0 24px}
header{padding-top:28px}h1{font-size:20px;line-height:28px;font-weight:600;margin:0;overflow-wrap:anywhere}
h2{font-size:16px;line-height:24px;font-weight:600;margin:0}
.id{font:12px/16px "IBM Plex Mono",ui-monospace,SFMono-Regular,Menlo,monospace;color:var(--muted);overflow-wrap:anywhere}
.state{display:inline-block;font-size:12px;line-height:16px;font-weight:500;padding:2px 8px;border:1px solid currentColor;border-radius:6px;margin-left:10px;vertical-align:3px}
.ok{color:var(--success)}.bad{color:var(--danger)}.warn{color:var(--warning)}.info{color:var(--info)}.quiet{color:var(--muted)}
dl.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));gap:1px;margin:20px 0 0;background:var(--surface);border:1px solid var(--border);border-radius:8px;overflow:hidden}
dl.facts div{padding:12px 16px;box-shadow:0 0 0 1px var(--border)}dl.facts dt{font-size:12px;line-height:16px;color:var(--muted)}
dl.facts dd{margin:2px 0 0;font-size:16px;line-height:24px;font-weight:500;overflow-wrap:anywhere}dl.facts .headline{font-size:28px;line-height:34px;font-weight:600}
.panel{background:var(--surface);border:1px solid var(--border);border-radius:8px;padding:16px 20px;margin:20px 0 0}
.warnings{border-left:3px solid var(--warning)}.warnings ul{margin:8px 0 0;padding-left:18px}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,560px),1fr));gap:20px;margin-top:20px}
figure{margin:0;min-width:0}.figures .panel{margin:0}figcaption p{margin:2px 0 12px;color:var(--muted);font-size:13px;line-height:20px}
.scroll{overflow-x:auto;margin:0 -4px;padding:0 4px}figure svg.chart{width:100%;min-width:520px;height:auto}
.legend{display:none;flex-wrap:wrap;gap:4px 16px;margin:16px 0 0;padding:8px 0;list-style:none;font-size:12px;line-height:16px;position:sticky;top:0;background:var(--bg);z-index:1}.legend li{display:flex;align-items:center;gap:6px;overflow-wrap:anywhere}
details{margin-top:12px}summary{cursor:pointer;color:var(--accent);font-size:13px;line-height:24px;width:fit-content}
table{border-collapse:collapse;font-size:13px;line-height:20px;margin-top:8px;min-width:100%}
th,td{text-align:right;padding:7px 12px;border-bottom:1px solid var(--border);white-space:nowrap;font-weight:400}
thead th{color:var(--muted);font-size:12px;line-height:16px}th:first-child,td:first-child{text-align:left;padding-left:0}td.text,th.text{text-align:left}
.tall{max-height:600px;overflow:auto}.tall thead th{position:sticky;top:0;background:var(--surface)}td.wrap{white-space:normal;min-width:220px;text-align:left}details .scroll{max-height:420px;overflow:auto}
.matrix td,.matrix th{padding:6px 8px;text-align:center}.matrix th:first-child{text-align:left;padding-left:0;position:sticky;left:0;background:var(--surface)}
footer{padding-top:20px;padding-bottom:40px;color:var(--muted);font-size:12px;line-height:16px}
@media (max-width:640px){.legend{display:flex}header,main,footer{padding-left:16px;padding-right:16px}.panel{padding:14px 14px}dl.facts{grid-template-columns:1fr 1fr}.state{margin-left:0;display:table;margin-top:6px}}
@media (forced-colors:active){svg.chart{forced-color-adjust:none}}
@media print{.panel{break-inside:avoid}details{display:none}}
${CHART_STYLE}`;
