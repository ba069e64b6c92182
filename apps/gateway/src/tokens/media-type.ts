/** Media types by file extension. */
const typesByEnding: ReadonlyMap<string, string> = new Map(
  Object.entries({
    png: "image/png",
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    webp: "image/webp",
    heic: "image/heic",
    heif: "image/heif",
    gif: "image/gif",
    pdf: "application/pdf",
    txt: "text/plain",
    md: "text/markdown",
    html: "text/html",
    csv: "text/csv",
    json: "application/json",
    mp3: "audio/mp3",
    wav: "audio/wav",
    ogg: "audio/ogg",
    flac: "audio/flac",
    aac: "audio/aac",
    aiff: "audio/aiff",
    mp4: "video/mp4",
    mpeg: "video/mpeg",
    mov: "video/quicktime",
    webm: "video/webm",
    mpg: "video/mpeg",
    mkv: "video/x-matroska",
    m4v: "video/x-m4v",
    avi: "video/x-msvideo",
    wmv: "video/x-ms-wmv",
    flv: "video/x-flv",
    "3gp": "video/3gpp",
    m4a: "audio/mp4",
    opus: "audio/opus",
    docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  }),
);

/** Returns the media type for a file extension, or null. */
export function mediaTypeByName(name: string): string | null {
  return typesByEnding.get(/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "") ?? null;
}

/** Hosts whose pages are videos, for providers that read them. */
const VIDEO_HOST = /(?:^|\.)(?:youtube\.com|youtube-nocookie\.com|youtu\.be)\.?$/;

/** Returns the media type that a URL shows, or null. */
export function mediaTypeOfUrl(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { hostname, pathname } = new URL(address);
  if (VIDEO_HOST.test(hostname)) return "video/mp4";
  // A regular expression for the slashes at the end would take quadratic time on many slashes elsewhere.
  return mediaTypeByName(pathname.split("/").findLast((name) => name !== "") ?? "");
}
