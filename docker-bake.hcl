variable "VERSION" {
  default = "dev"
}

group "default" {
  targets = ["guildhall"]
}

target "guildhall" {
  context    = "."
  dockerfile = "Dockerfile"
  tags       = ["guildhall:${VERSION}", "guildhall:latest"]
  labels = {
    "org.opencontainers.image.title"    = "Guildhall"
    "org.opencontainers.image.version"  = VERSION
    "org.opencontainers.image.licenses" = "MIT"
  }
}

target "all-platforms" {
  inherits  = ["guildhall"]
  platforms = ["linux/amd64", "linux/arm64"]
}
