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
  }),
);

/** Returns the media type for a file extension, or null. */
export function mediaTypeByName(name: string): string | null {
  return typesByEnding.get(/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "") ?? null;
}

/** Returns the media type that a URL's path shows, or null. */
export function mediaTypeOfUrl(address: string): string | null {
  return URL.canParse(address) ? mediaTypeByName(new URL(address).pathname) : null;
}
