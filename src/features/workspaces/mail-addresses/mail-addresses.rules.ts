export const MAIL_NAME_PATTERN = '^[a-z0-9][a-z0-9-]{1,28}[a-z0-9]$';
export const MAIL_NAME_RULE =
  'must have 3 to 30 lowercase letters, numbers or hyphens and start and end with a letter or number';

/** How many old names of a person may forward at a time. */
export const MOST_FORWARDS = 5;

/**
 * Names behind which the world expects the operator: those of the mail standards (RFC 2142), those to which certificate
 * authorities send their questions, and those that a service signs with.
 */
const RESERVED = new Set(
  `abuse admin administrator admins autoconfig autodiscover billing bounce bounces certificate certificates
  certmaster contact daemon dmarc dns-admin dnsadmin do-not-reply donotreply everyone ftp guildhall help
  helpdesk hostmaster hostmasters imap info invitations is-admin it-admin itadmin localhost login mail
  mailer mailer-daemon mailerdaemon mailman marketing mis news newsletter no-reply nobody noc noreply
  notification notifications operator phishing pki pop pop3 postmaster postmasters privacy registrar root
  sales security smtp spam ssl ssl-admin ssladmin ssladministrator sslwebmaster staff support sysadmin
  sysadmins sysop system tls tls-admin tlsadmin trouble unsubscribe usenet uucp webadmin webmail webmaster
  webmasters whois wpad www`.split(/\s+/),
);

export const isReservedMailName = (name: string): boolean => RESERVED.has(name);
