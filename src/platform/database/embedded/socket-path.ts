/** Linux allows 107 characters, macOS 103. */
export const LONGEST_SOCKET_PATH = 103;
