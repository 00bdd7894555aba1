class Kosumi < Formula
  desc "{{.Summary}}"
  homepage "{{.Page}}"
  version "{{.Version}}"
  license "MIT"

  on_macos do
    depends_on arch: :arm64
    on_arm do
      url "{{.Archives.macos_arm64.URL}}"
      sha256 "{{.Archives.macos_arm64.SHA256}}"
    end
  end

  on_linux do
    on_arm do
      url "{{.Archives.linux_arm64.URL}}"
      sha256 "{{.Archives.linux_arm64.SHA256}}"
    end
    on_intel do
      url "{{.Archives.linux_amd64.URL}}"
      sha256 "{{.Archives.linux_amd64.SHA256}}"
    end
  end

  def install
    libexec.install Dir["*"]
    bin.install_symlink libexec/"engine" => "kosumi"
  end

  test do
    assert_match(/^= [A-J][1-9]/, pipe_output("#{bin}/kosumi gtp --boardsize 9 --visits 10", "genmove b\n"))
  end
end
