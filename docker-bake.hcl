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
  args       = { VERSION = VERSION }
}

target "all-platforms" {
  inherits  = ["guildhall"]
  platforms = ["linux/amd64", "linux/arm64"]
}
